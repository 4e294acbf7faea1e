import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/contrast.css';

// Global styles are loaded first, so that those of components override them.
await import('./mount.ts');
