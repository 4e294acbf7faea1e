/** The filter expression (SERVICE.md S2.9) of the attributes' filterable fields; null where none is set. Pure. */
export function attributeFilter(values: Readonly<Record<string, string>>): string | null {
  const rules = Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([field, value]) => ({ field, operator: 'equal', value }));
  return rules.length === 0 ? null : JSON.stringify({ condition: 'AND', rules });
}
