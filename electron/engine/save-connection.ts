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
  connections: Pick<ConnectionService, 'list' | 'save'>;
  agents: Pick<Agents, 'access' | 'open'>;
  session: (connectionId: string) => Promise<Session>;
  logger: Logger;
}

/**
 * With a new token, stored lists are read again, and jobs that the refusal of the old one had paused are resumed, unless
 * the address has changed: it may be that of another service, which agents may not read either until a person opens it
 * again.
 */
export async function saveConnection(
  { connections, agents, session, logger }: SavingDeps,
  draft: ConnectionDraft,
  token: string | null,
  secrets: ConnectionSecrets,
): Promise<Connection> {
  const { id } = draft;
  const before = id === null ? null : connections.list().connections.find((known) => known.id === id);
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
      (opened) => withNewToken(opened, logger),
      (thrown: unknown) => logger.warn('session not opened', { reason: toAppError(thrown).message }),
    );
  return saved;
}

/** Another token may see other projects: what the old one read is read again on next use, open lists at once. */
async function withNewToken(opened: Session, logger: Logger): Promise<void> {
  try {
    opened.library.invalidate(OPERATION_IDS.map((operation) => ({ operation })));
  } catch (thrown) {
    logger.warn('stored data not marked with a new token', { reason: toAppError(thrown).message });
  }
  await resumeRefused(opened, logger);
}
