/**
 * Workbooks in the forms that common programs write, part by part: dates of both systems, shared and inline texts,
 * sheets of any kind.
 */
import { zipFile } from './zip-file.ts';

export interface SheetParts {
  /** The XML inside `sheetData`. */
  rows: string;
  /** XML before `sheetData`, e.g. `cols`. */
  before?: string;
  /** XML after `sheetData`, e.g. `mergeCells`. */
  after?: string;
  /** The last word of the type of the reference. */
  type?: string;
  state?: string;
}

export interface WorkbookParts {
  sheets: Readonly<Record<string, SheetParts>>;
  /** The codes of number formats. The style of a cell is the index of its format plus 1. */
  formats?: readonly string[];
  /** The XML of each shared text, as it is inside `si`. */
  shared?: readonly string[];
  /** The text of the attribute. */
  date1904?: string;
  /** Whether the workbook asks to be computed when it is opened, as xlsxwriter writes it. */
  isComputedWhenOpened?: boolean;
  /** A prefix of every element, as some programs write it. */
  prefix?: string;
  /** The first line of every part. */
  declaration?: string;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\r', '&#13;');

export function workbookOf(parts: WorkbookParts): Buffer {
  const { sheets, formats = [], shared = [], date1904, prefix = '' } = parts;
  const declaration = parts.declaration ?? '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  const names = Object.keys(sheets);
  const document = (xml: string): string =>
    `${declaration}\n${prefix === '' ? xml : xml.replaceAll(/(<!\[CDATA\[[\s\S]*?\]\]>)|<(\/?)(?=[a-z])/g, (_tag, data?: string, slash = '') => data ?? `<${slash}${prefix}:`).replaceAll('xmlns=', `xmlns:${prefix}=`)}`;
  const relationships = (list: readonly string[]): string =>
    `${declaration}\n<Relationships xmlns="${PACKAGE}">${list.join('')}</Relationships>`;
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  return zipFile({
    '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relationships([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': document(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${date1904 === undefined ? '' : ` date1904="${date1904}"`}/><sheets>${names
        .map((name, index) => {
          const state = sheets[name]?.state;
          return `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${index + 1}"/>`;
        })
        .join(
          '',
        )}</sheets>${parts.isComputedWhenOpened === true ? '<calcPr fullCalcOnLoad="1"/>' : ''}</workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((name, index) =>
        relation(`rId${index + 1}`, sheets[name]?.type ?? 'worksheet', `sheets/${index + 1}.xml`),
      ),
      relation('rId98', 'styles', 'styles.xml'),
      relation('rId99', 'sharedStrings', '/xl/sharedStrings.xml'),
    ]),
    'xl/styles.xml': document(
      `<styleSheet xmlns="${MAIN}"><numFmts>${formats
        .map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(code)}"/>`)
        .join(
          '',
        )}</numFmts><cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
        .map((_code, index) => `<xf numFmtId="${164 + index}" xfId="0"/>`)
        .join('')}</cellXfs></styleSheet>`,
    ),
    'xl/sharedStrings.xml': document(
      `<sst xmlns="${MAIN}">${shared.map((xml) => `<si>${xml}</si>`).join('')}</sst>`,
    ),
    ...Object.fromEntries(
      Object.values(sheets).map(({ rows, before = '', after = '', type = 'worksheet' }, index) => [
        `xl/sheets/${index + 1}.xml`,
        document(
          type === 'worksheet'
            ? `<worksheet xmlns="${MAIN}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`
            : `<${type} xmlns="${MAIN}"/>`,
        ),
      ]),
    ),
  });
}

/**
 * The XML of rows, from row 1 on. A cell is its element without its reference, e.g. `<c t="b"><v>1</v></c>`; null
 * leaves it out.
 */
export function sheetRows(rows: readonly (readonly (string | null)[] | null)[]): string {
  return rows
    .map((cells, row) =>
      cells === null
        ? ''
        : `<row r="${row + 1}">${cells
            .map((cell, column) =>
              cell === null ? '' : cell.replace('<c', `<c r="${String.fromCharCode(65 + column)}${row + 1}"`),
            )
            .join('')}</row>`,
    )
    .join('');
}

export const inline = (text: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;
export const number = (digits: string | number, style = 0): string =>
  `<c${style === 0 ? '' : ` s="${style}"`}><v>${digits}</v></c>`;
