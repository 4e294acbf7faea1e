/** Reports: HTML files with stored data, signed with the key of this computer, and their verification. */
import { readFile } from 'node:fs/promises';
import type { Clock, Random } from '../core/ports.ts';
import { choose, fieldsOf, unknownFields, unknownMasks } from '../core/report/choose.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { checkPlace } from '../export/files.ts';
import type { Keychain } from '../platform/keychain.ts';
import { newPrivateKey, type SigningKey, signingKey } from '../reports/seal.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { Pieces } from '../shared/pieces.ts';
import { privateFieldsOf } from '../shared/private-fields.ts';
import type {
  ReportAnswers,
  ReportOptions,
  ReportSubject,
  VerifiedReport,
  WrittenReport,
} from '../shared/report-model.ts';
import type { Settings } from '../shared/settings.ts';
import { fileError } from '../uploads/file-state.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import type { Session } from './session.ts';

export interface Reports {
  /** The fields that a report can have. Throws the errors of `write`. */
  fields(connectionId: string, subject: ReportSubject): Promise<ReportAnswers['fields']>;
  /**
   * Writes a report atomically, as HTML or in the form that `print` makes from the HTML. Throws the errors of `print`,
   * NOT_STORED, NOT_FOUND, INVALID_ARGUMENT for a field that the report cannot have, DISK_FULL, FILE_UNREADABLE.
   */
  write(
    connectionId: string,
    subject: ReportSubject,
    options: ReportOptions,
    path: string,
    print?: PrintReport | null,
  ): Promise<WrittenReport>;
  /**
   * Verifies a file. `wanted`: fingerprint of the key that must have signed it; null: any key. Throws FILE_* errors.
   */
  verify(path: string, wanted: string | null): Promise<VerifiedReport>;
}

/** Converts the complete HTML of a report to another format. */
type PrintReport = (html: string) => Promise<Uint8Array>;

interface ReportsDeps {
  session: (connectionId: string) => Promise<Session>;
  keychain: Pick<Keychain, 'read' | 'write'>;
  settings: () => Pick<Settings, 'privateFields' | 'arePrivateFieldsLost'>;
  clock: Clock;
  random: Random;
  copiesDir: string;
}

/** Name of the keychain entry; it differs from those of connections, which are ids. */
const KEY_ENTRY = 'report signing key';

export function createReports({
  session,
  keychain,
  settings,
  clock,
  random,
  copiesDir,
}: ReportsDeps): Reports {
  const sourceOf = async (connectionId: string, subject: ReportSubject) => {
    const { readReport } = await import('./report-sources.ts');
    return readReport({ session: await session(connectionId), clock, random, copiesDir }, subject);
  };
  const privateFields = () => privateFieldsOf(settings());
  /**
   * The signing key, created for the first report. Two processes can create one at the same time; then the stored one
   * is used.
   */
  const ownKey = async (isMade: boolean): Promise<SigningKey | null> => {
    const stored = await keychain.read(KEY_ENTRY);
    const known = stored === null ? null : signingKey(stored);
    if (known !== null || !isMade) return known;
    await keychain.write(KEY_ENTRY, newPrivateKey());
    return signingKey((await keychain.read(KEY_ENTRY)) ?? '');
  };
  return {
    fields: async (connectionId, subject) => {
      const source = await sourceOf(connectionId, subject);
      const hasKeychain = await ownKey(false).then(
        () => true,
        () => false,
      );
      const rows = source.tables.reduce((sum, table) => sum + table.rows, 0);
      return { title: source.title, rows, fields: fieldsOf(source, privateFields()), hasKeychain };
    },
    write: async (connectionId, subject, options, path, print = null) => {
      await checkPlace(path, false);
      const source = await sourceOf(connectionId, subject);
      checkFields(source, options);
      const slicer = new TimeSlicer(clock);
      const chosen = await inTurns(choose(source, options, privateFields()), slicer);
      const { deriveReport } = await import('../core/report/derive.ts');
      const { reportText } = await import('../reports/report-file.ts');
      const report = await inTurns(deriveReport(chosen), slicer);
      let key: SigningKey | null = null;
      let unsigned = '';
      if (options.isSigned)
        try {
          key = await ownKey(true);
        } catch (thrown) {
          unsigned = keyProblem(thrown);
        }
      const text = await reportText(report, key, () => slicer.pause());
      const content = print === null ? text : await print(text);
      await writeWhole(path, [content]);
      return {
        ...{ title: report.title, masked: report.masked, unsigned },
        rows: report.tables.reduce((sum, table) => sum + table.rows, 0),
        sizeBytes: Buffer.byteLength(content),
        fingerprint: key?.fingerprint ?? null,
      };
    },
    verify: async (path, wanted) => {
      const text = await textOf(path);
      const own = await ownKey(false).catch(() => null);
      const { verifyReport } = await import('../reports/report-file.ts');
      return verifyReport(text, { ownKey: own?.fingerprint ?? null, wanted });
    },
  };
}

/** Why the keychain has no key, without the keychain's advice about tokens. */
function keyProblem(thrown: unknown): string {
  const { code, cause } = toAppError(thrown);
  if (code === 'KEYCHAIN_UNAVAILABLE')
    return 'The keychain did not answer in time. Unlock it, then write the report again.';
  const said = cause instanceof Error ? ` It said: ${cause.message.split('\n')[0]?.replace(/\.$/, '')}.` : '';
  return `The keychain of this computer gave no key.${said} Start or unlock it, then write the report again.`;
}

/** Throws INVALID_ARGUMENT for a field that a report on this subject cannot have, and if no field is chosen. */
function checkFields(source: Parameters<typeof unknownFields>[0], { fields, masked }: ReportOptions): void {
  const known = [...new Set(source.tables.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const [unknown] = unknownFields(source, fields ?? []);
  if (unknown !== undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected fields of the report, got ${unknown}. It can have ${known.join(', ')}.`,
    );
  if (fields?.length === 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected at least one field, got none. It can have ${known.join(', ')}.`,
    );
  const blank = masked.find((name) => name.trim() === '');
  if (blank !== undefined)
    throw new AppError('INVALID_ARGUMENT', 'Expected the name of a field to mask, got nothing.');
  const [unmasked] = unknownMasks(source, masked);
  if (unmasked !== undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected fields to mask, got ${unmasked}, which this report does not have. It has ${known.join(', ')}, and the fields inside them. Nothing was written.`,
    );
}

/**
 * The exact text of a file. Invalid bytes are errors, because a changed byte must not be read as a replacement
 * character. Throws FILE_* errors.
 */
async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw readError(path, thrown);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new AppError(
      'FILE_CHANGED',
      `Expected a report as spandeck writes it, but ${path} has bytes that are not UTF-8: it was changed or is damaged. Get the file again from its author.`,
      {},
      thrown,
    );
  }
}

function readError(path: string, thrown: unknown): AppError {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new AppError('FILE_NOT_FOUND', `Expected a report, but ${path} does not exist. Check its name.`);
  if (code === 'EISDIR')
    return new AppError(
      'FILE_UNREADABLE',
      `Expected the file of a report, got the folder ${path}. Name a file.`,
    );
  return fileError(path, thrown);
}

async function inTurns<T>(pieces: Pieces<T>, slicer: TimeSlicer): Promise<T> {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    await slicer.pause();
  }
}
