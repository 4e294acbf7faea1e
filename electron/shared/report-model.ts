/** Reports: one HTML file with its data inside, which can be verified (`spandeck verify`). Shared by both processes. */
import { coverageQuery } from './coverage-model.ts';
import { listQuery } from './model.ts';
import { plainFileName } from './plain-file-name.ts';
import * as z from './zod.ts';

export const REPORT_KINDS = [
  'scores',
  'review',
  'version',
  'changes',
  'coverage',
  'trace',
  'board',
  'alert',
] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

const ownId = z.string().min(1).max(500);
const title = z.string().max(500);
const snapshotId = z.int().min(1);

/** File formats of a report: one page with its data, or a print of that page. */
const REPORT_FORMS = ['html', 'pdf'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];

/** The subject of a report. All of its data is read from local storage. */
const reportSubject = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('scores'),
    ...{ before: z.uuid(), after: z.uuid() },
    /** True if the runs are experiments; absent for score runs made here. */
    areExperiments: z.literal(true).optional(),
    /** Name of the score to compare; null: the first score that both runs have. */
    name: z.string().max(500).nullable(),
    lowerIsBetter: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('review'), buildId: ownId }),
  z.strictObject({ kind: z.literal('version'), snapshotId, title }),
  z.strictObject({ kind: z.literal('changes'), from: snapshotId, to: snapshotId, title }),
  z.strictObject({ kind: z.literal('coverage'), query: coverageQuery, title }),
  z.strictObject({ kind: z.literal('trace'), traceId: ownId }),
  z.strictObject({
    kind: z.literal('board'),
    title,
    charts: z
      .array(z.strictObject({ title, about: title, query: listQuery }))
      .min(1)
      .max(50),
  }),
  z.strictObject({ kind: z.literal('alert'), rule: listQuery, history: listQuery }),
]);
export type ReportSubject = z.infer<typeof reportSubject>;

const fieldNames = z.array(z.string().min(1).max(1_000)).max(1_000);

const reportOptions = z.strictObject({
  /** Fields to include by name; null: the usual ones. */
  fields: fieldNames.nullable(),
  /** Fields whose contents are masked, in addition to the private fields of the settings. */
  masked: fieldNames,
  /** Whether to sign the report. Without a keychain it stays unsigned. */
  isSigned: z.boolean(),
});
export type ReportOptions = z.infer<typeof reportOptions>;

/** A value in a table of a report. */
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type ReportCell = z.infer<typeof cell>;

const COLUMN_TYPES = ['text', 'number', 'time'] as const;

const column = z.strictObject({
  name: z.string(),
  title: z.string(),
  type: z.enum(COLUMN_TYPES),
  /** Computed from the other columns. */
  isDerived: z.boolean(),
});
export type ReportColumn = z.infer<typeof column> & { values: readonly ReportCell[] };

export interface ReportTable {
  name: string;
  title: string;
  rows: number;
  columns: readonly ReportColumn[];
}

const bar = z.strictObject({ label: z.string(), values: z.array(z.number()) });
const line = z.strictObject({ name: z.string(), points: z.array(z.tuple([z.number(), z.number()])) });
const chart = z.discriminatedUnion('form', [
  z.strictObject({
    form: z.literal('bars'),
    title: z.string(),
    /** Names of the values in each bar. */
    names: z.array(z.string()),
    bars: z.array(bar),
  }),
  /** A point is a time in milliseconds since 1970 and a number. */
  z.strictObject({ form: z.literal('lines'), title: z.string(), series: z.array(line) }),
]);
export type ReportChart = z.infer<typeof chart>;

const figure = z.strictObject({ label: z.string(), value: z.string(), detail: z.string() });
export type ReportFigure = z.infer<typeof figure>;

const fact = z.strictObject({ label: z.string(), text: z.string() });
export type ReportFact = z.infer<typeof fact>;

/** Choices that affect the figures, such as whether a lower score is better. */
const rules = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export type ReportRules = Readonly<z.infer<typeof rules>>;

export const REPORT_FORMAT = 'spandeck-report';
/** Version of the data and of the page around it. */
export const REPORT_VERSION = 1;

/** The readable part of the data in a report. The rows of its tables are in a compressed part next to it. */
export const reportHead = z.strictObject({
  format: z.literal(REPORT_FORMAT),
  version: z.int(),
  kind: z.enum(REPORT_KINDS),
  title: z.string(),
  /** Source, age, filters and receipts. */
  facts: z.array(fact),
  rules,
  /** Names of masked fields. */
  masked: z.array(z.string()),
  figures: z.array(figure),
  charts: z.array(chart),
  tables: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      rows: z.int(),
      /** Hexadecimal SHA-256 of the JSON of the values in all columns of the table. */
      sha256: z.string(),
      columns: z.array(column),
    }),
  ),
});
export type ReportHead = z.infer<typeof reportHead>;

/** Values of a report, by table and column. */
export const reportRows = z.array(z.array(z.array(cell)));

/** The contents of a report before it is written: rows are chosen, private fields masked, and figures computed. */
export interface Report extends Pick<ReportHead, 'kind' | 'title' | 'facts' | 'rules' | 'masked'> {
  figures: ReportFigure[];
  charts: ReportChart[];
  tables: ReportTable[];
}

const publicKey = z.strictObject({
  algorithm: z.literal('ed25519'),
  public: z.string(),
  fingerprint: z.string(),
});
export const reportSeal = z.strictObject({
  /** Hexadecimal SHA-256 of the file without the seal. */
  sha256: z.string(),
  /** Null if the report is not signed. */
  key: publicKey.nullable(),
  /** Base64 of the signature of `sha256`. */
  signature: z.string().nullable(),
});
export type ReportSeal = z.infer<typeof reportSeal>;

/** A field that a report can have. */
export interface ReportField {
  name: string;
  title: string;
  /** The field is included unless fields are chosen. */
  isUsual: boolean;
  /** The field is masked by the private fields of the settings. */
  isPrivate: boolean;
}

/** A written report. */
export interface WrittenReport {
  title: string;
  rows: number;
  sizeBytes: number;
  /** Names of masked fields. */
  masked: string[];
  /** Fingerprint of the key; null if the report is not signed. */
  fingerprint: string | null;
  /** Why the report is not signed; empty if it is signed, or was not meant to be. */
  unsigned: string;
}

/**
 * One check of a report file. `failed`: the file does not match its own statements. `unknown`: it cannot be checked on
 * this computer.
 */
export interface ReportCheck {
  what: string;
  result: 'ok' | 'failed' | 'unknown';
  detail: string;
}

export interface VerifiedReport {
  title: string;
  kind: ReportKind;
  facts: readonly ReportFact[];
  rows: number;
  fingerprint: string | null;
  checks: ReportCheck[];
}

const connectionId = z.uuid();
export const reportContract = {
  'reports:act': z.discriminatedUnion('action', [
    /** The fields that a report of this subject can have. */
    z.strictObject({ connectionId, action: z.literal('fields'), subject: reportSubject }),
    /** Asks for a file and writes the report; null if cancelled. */
    z.strictObject({
      connectionId,
      action: z.literal('write'),
      subject: reportSubject,
      options: reportOptions,
      fileName: plainFileName,
      form: z.enum(REPORT_FORMS),
    }),
  ]),
} as const;

export interface ReportAnswers {
  fields: { title: string; rows: number; fields: ReportField[]; hasKeychain: boolean };
  write: (WrittenReport & { fileName: string }) | null;
}
