/** The unit of numbers that are periods of pandas, by the name that pandas gives their frequency: M, W-SUN. */
export const periodUnit = (frequency: string): string => `periods (${frequency})`;
