/** Saves a connection, and continues or closes what depends on its token and address. */
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
 * With a token, jobs that its refusal or that of the old one had paused are resumed, and with another one than before
 * stored lists are read again, unless the address has changed: it may be that of another service, which agents may not read either until a person opens it
 * again.
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
  // Before the address is saved: no agent reads the new service with the permission for the old one.
  const wasOpen = id !== null && before?.baseUrl !== draft.baseUrl && agents.access.close(id);
  let saved: Connection;
  try {
    saved = await connections.save(draft, token, { secrets });
  } catch (thrown) {
    if (wasOpen) agents.open(id);
    throw thrown;
  }
  // The same address, typed in another way.
  const isSame = before?.baseUrl === saved.baseUrl;
  if (wasOpen && isSame) agents.open(saved.id);
  // The connection is saved, whether or not its stores open.
  if (id !== null && token !== null && isSame)
    session(saved.id).then(
      (opened) => withToken(opened, token !== held, logger),
      (thrown: unknown) => logger.warn('session not opened', { reason: toAppError(thrown).message }),
    );
  return saved;
}

/** The stored token; null if there is none or it cannot be read, as from a locked keychain. */
const heldBy = (
  connections: Pick<ConnectionService, 'token'>,
  connection: Connection,
): Promise<string | null> => connections.token(connection).catch(() => null);

/** Another token may see other projects: what the old one read is read again on next use, open lists at once. */
async function withToken(opened: Session, isOther: boolean, logger: Logger): Promise<void> {
  try {
    if (isOther) opened.library.invalidate(OPERATION_IDS.map((operation) => ({ operation })));
  } catch (thrown) {
    logger.warn('stored data not marked with a new token', { reason: toAppError(thrown).message });
  }
  await resumeRefused(opened, logger);
}
