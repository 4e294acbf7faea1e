import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/contrast.css';

// The style sheet holds what is loaded first in front: what a component says of the same thing then counts.
await import('./mount.ts');
