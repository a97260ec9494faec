/** Functions for other modules that store and read content with references to activity texts. */
export { findTexts } from './data/activity-text.repository';
export { type ActivityTexts, parseWithTexts, withTexts } from './text-references';
