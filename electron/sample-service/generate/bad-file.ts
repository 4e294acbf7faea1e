/** A file of events for the churn model with a few problems, for trying the check of an upload. */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { SAMPLE_FILE } from '../../shared/sample-file.ts';
import { SeededRandom } from './seeded-random.ts';

const SEED = 20_251_103;

type Row = Record<
  | 'CreditScore'
  | 'Geography'
  | 'Gender'
  | 'Age'
  | 'Tenure'
  | 'Balance'
  | 'NumOfProducts'
  | 'HasCrCard'
  | 'IsActiveMember'
  | 'EstimatedSalary'
  | 'Churned',
  string
>;

/** Values that the model does not accept, and unusual values, by the number of the data row. */
const CHANGES: ReadonlyMap<number, Partial<Row>> = new Map([
  [2, { Age: 'forty' }],
  [3, { Balance: '1200.50 EUR' }],
  [4, { Geography: 'Frankreich' }],
  [640, { CreditScore: '905' }],
  [1_204, { NumOfProducts: 'two' }],
  [1_777, { Age: '117' }],
  [2_318, { Geography: 'Deutschland' }],
  [2_871, { Tenure: '4 years' }],
]);

function goodRow(random: SeededRandom): Row {
  const isActive = random.chance(0.52);
  const age = random.int(19, 72);
  return {
    CreditScore: String(random.int(420, 850)),
    Geography: random.pick(['France', 'France', 'Germany', 'Spain']),
    Gender: random.pick(['Female', 'Male']),
    Age: String(age),
    Tenure: String(random.int(0, 10)),
    Balance: random.chance(0.35) ? '0.00' : random.decimal(20_000, 210_000, 2).toFixed(2),
    NumOfProducts: String(random.pick([1, 1, 2, 2, 3])),
    HasCrCard: random.chance(0.7) ? 'Yes' : 'No',
    IsActiveMember: isActive ? 'Yes' : 'No',
    EstimatedSalary: random.decimal(11_000, 199_000, 2).toFixed(2),
    Churned: random.chance(isActive ? 0.1 : age > 45 ? 0.4 : 0.2) ? 'Churned' : 'Not Churned',
  };
}

/** The text of the file, which is always the same: a header and `SAMPLE_FILE.rows` rows. */
export function badFileText(): string {
  const random = new SeededRandom(SEED);
  const rows = Array.from({ length: SAMPLE_FILE.rows }, (_, at) => ({
    ...goodRow(random),
    ...CHANGES.get(at + 1),
  }));
  const names = Object.keys(goodRow(random));
  const line = (values: readonly string[]) =>
    values.map((value) => (value.includes(',') ? `"${value}"` : value)).join(',');
  return `${[names, ...rows.map((row) => Object.values(row))].map(line).join('\n')}\n`;
}

/** Writes the file, readable only by its owner, unless it exists. Throws the error of the file system. */
export function writeBadFile(path: string): void {
  if (existsSync(path)) return;
  const part = `${path}.part`;
  try {
    writeFileSync(part, badFileText(), { mode: 0o600 });
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
}
