/** Decides when to ask the user for a new token: once for each rejected token. Pure. */
import type { Connection, NetworkState } from '../../electron/shared/model.ts';

/** The connection and token of the last question. */
export interface Asked {
  connectionId: string;
  /** Identifies a token without revealing it. */
  token: string;
}

type Owner = Pick<Connection, 'id' | 'kind' | 'tokenHint'>;

export function questionOf({ id, tokenHint }: Owner): Asked {
  return { connectionId: id, token: tokenHint === null ? 'none' : `${tokenHint.savedAtMs}` };
}

/** Whether a question is still remembered: a connection that was left is opened anew when it is shown again. */
export function keepAsked(asked: Asked | null, activeId: string | null): Asked | null {
  return asked?.connectionId === activeId ? asked : null;
}

/** Whether to ask the user now. */
export function asksNow(given: {
  /** The active connection. */
  connection: Owner | null;
  network: NetworkState['state'];
  asked: Asked | null;
  /** Another dialog is open: the question is postponed until it is closed. */
  isBehindDialog: boolean;
}): boolean {
  const { connection, network, asked, isBehindDialog } = given;
  // The token of the sample service is managed by the application.
  if (connection === null || connection.kind === 'sample') return false;
  if (network !== 'unauthorized' || isBehindDialog) return false;
  const question = questionOf(connection);
  return asked?.connectionId !== question.connectionId || asked.token !== question.token;
}
