/** Everything that a report on a subject can contain, read from stored data. Sends no requests. */
import type { ReportSource } from '../core/report/choose.ts';
import type { ReportSubject } from '../shared/report-model.ts';
import { fact, type ReportParts } from './report-columns.ts';
import {
  changesSource,
  coverageSource,
  reviewSource,
  scoreSource,
  versionSource,
} from './report-of-datasets.ts';
import { alertSource, boardSource, traceSource } from './report-of-records.ts';

/**
 * Throws NOT_STORED if some data of the subject is not stored, and INVALID_ARGUMENT or NOT_FOUND if the subject does
 * not exist.
 */
export async function readReport(parts: ReportParts, subject: ReportSubject): Promise<ReportSource> {
  const source = await sourceOf(parts, subject);
  const { name, baseUrl } = parts.session.connection;
  return { ...source, facts: [fact('Connection', `${name}, ${baseUrl}`), ...source.facts] };
}

function sourceOf(parts: ReportParts, subject: ReportSubject): Promise<ReportSource> {
  switch (subject.kind) {
    case 'scores':
      return scoreSource(parts, subject);
    case 'review':
      return reviewSource(parts, subject);
    case 'version':
      return versionSource(parts, subject);
    case 'changes':
      return changesSource(parts, subject);
    case 'coverage':
      return coverageSource(parts, subject);
    case 'trace':
      return traceSource(parts, subject);
    case 'board':
      return boardSource(parts, subject);
    case 'alert':
      return alertSource(parts, subject);
  }
}
