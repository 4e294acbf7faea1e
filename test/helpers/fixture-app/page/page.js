const violations = [];
document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
window.violations = violations;
const drop = document.querySelector('#drop');
drop.addEventListener('dragover', (event) => event.preventDefault());
drop.addEventListener('drop', async (event) => {
  event.preventDefault();
  window.dropped = await window.fixture.paths([...event.dataTransfer.files]);
});
document.querySelector('#state').textContent = 'ready';
