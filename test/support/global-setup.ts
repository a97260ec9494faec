import { writeTemplate } from './template';

export default writeTemplate;
