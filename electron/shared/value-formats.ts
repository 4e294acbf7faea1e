/** Formats of numbers and dates that a person can choose. Pure. */
export const NUMBER_FORMATS = [
  { value: 'comma', title: '12,345.6', thousands: ',', decimal: '.' },
  { value: 'point', title: '12.345,6', thousands: '.', decimal: ',' },
  { value: 'space', title: '12 345.6', thousands: '\u202f', decimal: '.' },
  { value: 'space-comma', title: '12 345,6', thousands: '\u202f', decimal: ',' },
  { value: 'apostrophe', title: '12’345.6', thousands: '’', decimal: '.' },
  { value: 'none', title: '12345.6', thousands: '', decimal: '.' },
] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number]['value'];

export const DATE_FORMATS = [
  { value: 'day-month', title: '12 Mar 2026' },
  { value: 'month-day', title: 'Mar 12, 2026' },
  { value: 'iso', title: '2026-03-12' },
] as const;
export type DateFormat = (typeof DATE_FORMATS)[number]['value'];

/**
 * A typed number with a decimal point and without separators: both `1.5` and `1,5` are one and a half, unless the number
 * is grouped as the format groups it (`1,000` or `1.000` is a thousand then). `0,125` and `0.125` are never grouped.
 */
export function ungrouped(typed: string, format: NumberFormat): string {
  const plain = typed.replaceAll(/[\s_’']/g, '').replace('−', '-');
  const { thousands } = NUMBER_FORMATS.find(({ value }) => value === format) ?? NUMBER_FORMATS[0];
  const isGrouped =
    thousands === ','
      ? /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/.test(plain)
      : thousands === '.' && /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?$/.test(plain);
  return (isGrouped ? plain.replaceAll(thousands, '') : plain).replace(',', '.');
}

/** Converts a number in `en-US` format (`12,345.6`) to another format. */
export function inFormat(written: string, format: NumberFormat): string {
  if (format === 'comma') return written;
  const { thousands, decimal } = NUMBER_FORMATS.find(({ value }) => value === format) ?? NUMBER_FORMATS[0];
  return written.replace(/[,.]/g, (mark) => (mark === ',' ? thousands : decimal));
}
