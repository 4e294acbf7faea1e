import { mount } from 'svelte';
import Root from './Root.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no element with the id "app".');
mount(Root, { target });
