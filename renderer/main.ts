import { mount } from 'svelte';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/contrast.css';
import Root from './Root.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no element with the id "app".');
mount(Root, { target });
