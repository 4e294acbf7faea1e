/** Formulas by which a sheet keeps digits as a text, written into delimited text: `="00123"`. Pure. */

const TEXT_FORMULA = /^\s*="((?:[^"]|"")*)"\s*$/;

/** The text that such a formula stands for, with or without blanks around it; null for any other text. */
export function textOfFormula(cell: string): string | null {
  if (!cell.includes('="')) return null;
  return TEXT_FORMULA.exec(cell)?.[1]?.replaceAll('""', '"') ?? null;
}
