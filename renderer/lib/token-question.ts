/** Decides when to ask the user for a new token: once for each rejected token. Pure. */
import type { Connection, NetworkState } from '../../electron/shared/model.ts';

/** The connection and token that were asked about last. */
export interface Asked {
  connectionId: string;
  /** Identifies a token without revealing it. */
  token: string;
}

type Owner = Pick<Connection, 'id' | 'kind' | 'tokenHint'>;

export function questionOf({ id, tokenHint }: Owner): Asked {
  return { connectionId: id, token: tokenHint === null ? 'none' : `${tokenHint.savedAtMs}` };
}

/** Whether to remember the last question. It is forgotten if the user has switched to another connection. */
export function keepAsked(asked: Asked | null, activeId: string | null): Asked | null {
  return asked?.connectionId === activeId ? asked : null;
}

/** Whether to ask the user now. */
export function asksNow(given: {
  /** The active connection. */
  connection: Owner | null;
  network: NetworkState['state'];
  asked: Asked | null;
  /** Whether another dialog is open. The question is then postponed until it is closed. */
  isBehindDialog: boolean;
}): boolean {
  const { connection, network, asked, isBehindDialog } = given;
  // The application manages the token of the sample service itself.
  if (connection === null || connection.kind === 'sample') return false;
  if (network !== 'unauthorized' || isBehindDialog) return false;
  const question = questionOf(connection);
  return asked?.connectionId !== question.connectionId || asked.token !== question.token;
}
