/** Typed access to protocol parameters, which come from Chromium as JSON. */
import type { CdpResult } from './cdp.ts';

/** A nested object of protocol parameters; empty if it is missing. */
export const objectAt = (params: CdpResult, key: string): CdpResult => (params[key] ?? {}) as CdpResult;

/** A text of protocol parameters; empty if it is missing. */
export const textAt = (params: CdpResult, key: string): string => {
  const value = params[key];
  return value === undefined ? '' : String(value);
};
