/** Repairs the library in the given file, in a separate process that the test kills. */
import { repairStore } from '../../electron/db/maintenance.ts';
import { silentLogger } from './virtual-world.ts';

process.stdout.write('begins\n');
repairStore({ file: process.argv[2] ?? '', store: 'library' }, Date.UTC(2026, 4, 1), silentLogger);
