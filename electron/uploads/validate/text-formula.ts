/** Reads formulas by which spreadsheets keep digits as a text in delimited files: `="00123"`. Pure. */

const TEXT_FORMULA = /^\s*="((?:[^"]|"")*)"\s*$/;

/** The text that the formula yields; blanks around the formula are allowed. Null for any other text. */
export function textOfFormula(cell: string): string | null {
  if (!cell.includes('="')) return null;
  return TEXT_FORMULA.exec(cell)?.[1]?.replaceAll('""', '"') ?? null;
}
