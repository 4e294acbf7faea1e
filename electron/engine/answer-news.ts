/**
 * Reports each difference between the answers of a service and the expectations of this version to the log and the
 * window.
 */
import type { Logger } from '../core/ports.ts';
import { AnswerDifferences } from '../shared/answer-differences.ts';
import type { EventPayloads } from '../shared/contract.ts';
import type { Connection } from '../shared/model.ts';

interface Deps {
  connection: Connection;
  logger: Logger;
  publish: (channel: 'connections:difference', payload: EventPayloads['connections:difference']) => void;
}

export const tellDifferences = ({ connection, logger, publish }: Deps): AnswerDifferences =>
  new AnswerDifferences((text) => {
    logger.warn('answer in another form', { reason: text });
    publish('connections:difference', { connectionId: connection.id, text });
  });
