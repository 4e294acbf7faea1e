/** Saves a connection, and resumes or ends what depends on its token and address. */
import { OPERATION_IDS } from '../api/endpoints.ts';
import type { ConnectionService } from '../connections/connection-service.ts';
import type { Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import type { Connection, ConnectionDraft, ConnectionSecrets } from '../shared/model.ts';
import type { Agents } from './agents.ts';
import { resumeRefused } from './resume-refused.ts';
import type { Session } from './session.ts';

interface SavingDeps {
  connections: Pick<ConnectionService, 'list' | 'save' | 'token'>;
  agents: Pick<Agents, 'access' | 'open'>;
  session: (connectionId: string) => Promise<Session>;
  logger: Logger;
}

/**
 * Saves a connection. If a token is given, jobs that were paused because a token was refused are resumed; if it differs
 * from the stored one, stored lists are read again. Both are skipped if the address has changed, because it may be that
 * of another service. Agents then have no access until a person opens the connection to them again.
 */
export async function saveConnection(
  { connections, agents, session, logger }: SavingDeps,
  draft: ConnectionDraft,
  token: string | null,
  secrets: ConnectionSecrets,
): Promise<Connection> {
  const { id } = draft;
  const before = id === null ? undefined : connections.list().connections.find((known) => known.id === id);
  const held = token === null || before === undefined ? null : await heldBy(connections, before);
  // Done before the address is saved, so that no agent can read the new service with the permission for the old one.
  const wasOpen = id !== null && before?.baseUrl !== draft.baseUrl && agents.access.close(id);
  let saved: Connection;
  try {
    saved = await connections.save(draft, token, { secrets });
  } catch (thrown) {
    if (wasOpen) agents.open(id);
    throw thrown;
  }
  // The address is the same, but was typed in another way.
  const isSame = before?.baseUrl === saved.baseUrl;
  if (wasOpen && isSame) agents.open(saved.id);
  // Not awaited: the connection is saved whether or not its stores open.
  if (id !== null && token !== null && isSame)
    session(saved.id).then(
      (opened) => withToken(opened, token !== held, logger),
      (thrown: unknown) => logger.warn('session not opened', { reason: toAppError(thrown).message }),
    );
  return saved;
}

/** The stored token; null if there is none, or if it cannot be read, e.g. because the keychain is locked. */
const heldBy = (
  connections: Pick<ConnectionService, 'token'>,
  connection: Connection,
): Promise<string | null> => connections.token(connection).catch(() => null);

/**
 * Resumes refused jobs. With another token, which may see other projects, stored data is outdated: open lists are read
 * again at once, others at their next use.
 */
async function withToken(opened: Session, isOther: boolean, logger: Logger): Promise<void> {
  try {
    if (isOther) opened.library.invalidate(OPERATION_IDS.map((operation) => ({ operation })));
  } catch (thrown) {
    logger.warn('stored data not marked with a new token', { reason: toAppError(thrown).message });
  }
  await resumeRefused(opened, logger);
}
