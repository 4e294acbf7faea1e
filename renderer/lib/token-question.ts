/** When a person is asked for a new token: once for each token that is not accepted. Pure. */
import type { Connection, NetworkState } from '../../electron/shared/model.ts';

/** What was asked last: of which connection, about which token. */
export interface Asked {
  connectionId: string;
  /** Names a token without being it. */
  token: string;
}

type Owner = Pick<Connection, 'id' | 'kind' | 'tokenHint'>;

export function questionOf({ id, tokenHint }: Owner): Asked {
  return { connectionId: id, token: tokenHint === null ? 'none' : `${tokenHint.savedAtMs}` };
}

/** What is still remembered as asked: a connection that is left and shown again is opened anew. */
export function keepAsked(asked: Asked | null, activeId: string | null): Asked | null {
  return asked?.connectionId === activeId ? asked : null;
}

/** Is a person to be asked now? */
export function asksNow(given: {
  /** The active connection. */
  connection: Owner | null;
  network: NetworkState['state'];
  asked: Asked | null;
  /** Another dialog is open: the question waits until it is closed. */
  isBehindDialog: boolean;
}): boolean {
  const { connection, network, asked, isBehindDialog } = given;
  // The sample's token is the application's own.
  if (connection === null || connection.kind === 'sample') return false;
  if (network !== 'unauthorized' || isBehindDialog) return false;
  const question = questionOf(connection);
  return asked?.connectionId !== question.connectionId || asked.token !== question.token;
}
