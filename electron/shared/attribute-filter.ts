/** Filter expressions (SERVICE.md S2.9) for exact values of some fields. Pure. */

/** A filter for records in which each of these fields has the given value; null if no value is given. */
export function attributeFilter(values: Readonly<Record<string, string>>): string | null {
  const rules = Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([field, value]) => ({ field, operator: 'equal', value }));
  return rules.length === 0 ? null : JSON.stringify({ condition: 'AND', rules });
}
