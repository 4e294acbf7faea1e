import type { Migration } from '../../migrate.ts';
import { SERVICE_TABLE } from '../service-address.ts';

export const datasetService: Migration = {
  number: 1_110,
  name: 'the address of the service for which its jobs were made',
  sql: SERVICE_TABLE,
};
