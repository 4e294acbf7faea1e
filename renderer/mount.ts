import { mount } from 'svelte';
import { followMovedControls } from './components/moved-press.ts';
import Root from './Root.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no element with the id "app".');
followMovedControls(window);
mount(Root, { target });
