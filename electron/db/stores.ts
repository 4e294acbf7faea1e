/** The stores of a connection that grow with what was read and sent, by the files they lie in. */
import { DATASET_MIGRATIONS } from './migrations/datasets/index.ts';
import { LIBRARY_MIGRATIONS } from './migrations/library/index.ts';
import { UPLOAD_MIGRATIONS } from './migrations/uploads/index.ts';

export const STORE_KINDS = ['library', 'uploads', 'datasets'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

export const MIGRATIONS_OF = {
  library: LIBRARY_MIGRATIONS,
  uploads: UPLOAD_MIGRATIONS,
  datasets: DATASET_MIGRATIONS,
} as const;
