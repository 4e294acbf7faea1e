/** Reads what all sheets of a workbook share: their names, its date system, number formats and shared texts. */
import { builtInFormat, type NumberFormat, numberFormat } from './number-format.ts';
import { type Reference, readReferences, type WorkbookParts } from './parts.ts';
import { attribute, type XmlHandler, XmlProblem } from './xml-reader.ts';

export interface WorkbookSheet {
  name: string;
  path: string;
  isHidden: boolean;
}

export interface Workbook {
  /** Sheets with cells, without chart and dialog sheets. */
  sheets: WorkbookSheet[];
  /** True if dates are counted from 1904, as in Excel for Mac, instead of 1900. */
  is1904: boolean;
  /** True if Excel must compute the workbook when opening it. Set by libraries that cannot compute formulas. */
  isComputedWhenOpened: boolean;
  /** Formats by cell style. A style without an entry shows plain numbers. */
  formats: readonly NumberFormat[];
  texts: SharedTexts;
}

/** Reads the parts that describe the workbook. Throws XmlProblem. */
export async function readWorkbook(parts: WorkbookParts): Promise<Workbook> {
  const ofPackage = await readReferences(parts, '');
  const path =
    [...ofPackage.values()].find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml';
  if (!parts.has(path)) throw new XmlProblem(`has no part “${path}”`);
  const references = await readReferences(parts, path);
  const { sheets, is1904, isComputedWhenOpened } = await readSheets(parts, path, references);
  const pathOf = (type: string, usual: string): string =>
    [...references.values()].find((each) => each.type === type)?.path ?? usual;
  return {
    ...{ sheets, is1904, isComputedWhenOpened },
    formats: await readFormats(parts, pathOf('styles', 'xl/styles.xml')),
    texts: await readTexts(parts, pathOf('sharedStrings', 'xl/sharedStrings.xml')),
  };
}

const isTrue = (value: string | null): boolean => value === '1' || value?.toLowerCase() === 'true';

async function readSheets(
  parts: WorkbookParts,
  path: string,
  references: ReadonlyMap<string, Reference>,
): Promise<Pick<Workbook, 'sheets' | 'is1904' | 'isComputedWhenOpened'>> {
  const sheets: WorkbookSheet[] = [];
  let [is1904, isComputedWhenOpened] = [false, false];
  await parts.read(path, {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = isTrue(attribute(attributes, 'date1904'));
      if (name === 'calcPr') isComputedWhenOpened = isTrue(attribute(attributes, 'fullCalcOnLoad'));
      if (name !== 'sheet') return;
      const reference = references.get(attribute(attributes, 'id') ?? '');
      const sheet = attribute(attributes, 'name') ?? '';
      if (reference === undefined) throw new XmlProblem(`lists the sheet “${sheet}”, which is nowhere`);
      if (reference.type !== 'worksheet') return;
      const isHidden = (attribute(attributes, 'state') ?? 'visible') !== 'visible';
      sheets.push({ name: sheet, path: reference.path, isHidden });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { sheets, is1904, isComputedWhenOpened };
}

async function readFormats(parts: WorkbookParts, path: string): Promise<NumberFormat[]> {
  const codes = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let isOfCells = false;
  await parts.read(path, {
    open: (name, attributes) => {
      if (name === 'numFmt') {
        const code = attribute(attributes, 'formatCode') ?? '';
        codes.set(Number(attribute(attributes, 'numFmtId')), numberFormat(code));
      }
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells) return;
      const id = Number(attribute(attributes, 'numFmtId') ?? 0);
      formats.push(codes.get(id) ?? builtInFormat(id));
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
    text: () => undefined,
  });
  return formats;
}

/** Maximum size of all texts. More would exceed the memory limit of the reading thread. */
const MAX_TEXT_BYTES = 300_000_000;
const MAX_TEXTS = 10_000_000;

/**
 * The shared texts that cells refer to. Stored as bytes, because a sliced string would keep its whole chunk in memory.
 */
class SharedTexts {
  #bytes = Buffer.alloc(0);
  #ends = new Uint32Array(1_024);
  #count = 0;

  /** Adds a text. Throws XmlProblem if the texts need too much memory. */
  add(text: string): void {
    const start = this.#endOf(this.#count);
    const end = start + Buffer.byteLength(text);
    if (end > MAX_TEXT_BYTES || this.#count >= MAX_TEXTS)
      throw new XmlProblem('has more text in its cells than can be held in memory; save the sheet as CSV');
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(Math.max(end, this.#bytes.length * 2, 65_536), MAX_TEXT_BYTES));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(this.#count * 2);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#bytes.write(text, start);
    this.#ends[this.#count] = end;
    this.#count += 1;
  }

  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    return this.#bytes.toString('utf8', this.#endOf(index), this.#endOf(index + 1));
  }

  #endOf(count: number): number {
    return count === 0 ? 0 : (this.#ends[count - 1] ?? 0);
  }
}

async function readTexts(parts: WorkbookParts, path: string): Promise<SharedTexts> {
  const texts = new SharedTexts();
  if (!parts.has(path)) return texts;
  const text = new CellText();
  const handler: XmlHandler = {
    open: (name) => {
      if (name === 'si') text.begin();
      else text.open(name);
    },
    close: (name) => {
      if (name === 'si') texts.add(text.end());
      else text.close(name);
    },
    text: (part) => text.add(part),
  };
  const pieces = parts.pieces(path, handler);
  while ((await pieces.next()).done !== true);
  return texts;
}

/** The text of an element with rich text runs, without phonetic runs (`rPh`). */
export class CellText {
  #text = '';
  #isInText = false;
  #spoken = 0;

  begin(): void {
    this.#text = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#spoken += 1;
    this.#isInText = name === 't' && this.#spoken === 0;
  }

  close(name: string): void {
    if (name === 'rPh') this.#spoken -= 1;
    this.#isInText = false;
  }

  add(part: string): void {
    if (this.#isInText) this.#text += part;
  }

  end(): string {
    return withoutEscapes(this.#text);
  }
}

/**
 * Decodes escapes such as `_x000D_` (a character that XML does not allow) and `_x005F_x000D_` (the literal text
 * `_x000D_`).
 */
export function withoutEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\da-f]{4})_/gi, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
