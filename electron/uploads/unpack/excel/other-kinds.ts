/** Recognizes files that are named like Excel workbooks but are of another kind, by their parts. Pure. */

/** A part that only this kind has, the kind, and the program that can save it as a workbook. */
const KINDS: readonly (readonly [part: string, kind: string, program: string])[] = [
  ['xl/workbook.bin', 'a binary Excel workbook (.xlsb)', 'Excel'],
  ['content.xml', 'an OpenDocument spreadsheet (.ods)', 'LibreOffice or Excel'],
  ['index/document.iwa', 'a spreadsheet of Apple Numbers', 'Numbers'],
  ['index.zip', 'a spreadsheet of Apple Numbers', 'Numbers'],
  ['word/document.xml', 'a Word document', 'Word'],
  ['ppt/presentation.xml', 'a PowerPoint presentation', 'PowerPoint'],
];

/** The error message for a file of another kind; null for a workbook. `has`: whether the file has this part. */
export function otherKind(name: string, has: (part: string) => boolean): string | null {
  const [, kind, program] = KINDS.find(([part]) => has(part)) ?? [];
  if (kind === undefined || program === undefined) return null;
  return `Expected an Excel workbook (.xlsx), got ${kind}: ${name}. Open it in ${program} and save it as .xlsx, or save the sheet as CSV.`;
}
