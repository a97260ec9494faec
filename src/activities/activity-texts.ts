/** What other modules need to store and read content that refers to texts of activities. */
export { findTexts } from './data/activity-text.repository';
export { type ActivityTexts, parseWithTexts, withTexts } from './text-references';
