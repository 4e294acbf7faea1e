/** Restores the given copy of an upload store, in a process of its own, to be killed. */
import { restoreCopy } from '../../electron/db/store-copies.ts';
import { silentLogger } from './virtual-world.ts';

const [, , file = '', name = ''] = process.argv;
process.stdout.write('begins\n');
restoreCopy({ file, store: 'uploads' }, name, Date.UTC(2026, 4, 1), silentLogger);
