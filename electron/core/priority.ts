export { PRIORITIES, type Priority } from '../shared/traffic-model.ts';
