const { join, sep } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const isUnit = ({ path, context }) => path.startsWith(join(context.config.rootDir, 'src') + sep);

/**
 * Runs unit tests last until the durations of all suites are known. By default, Jest would start with the largest files: small
 * suites that start processes would come last, and the other workers would be idle.
 */
module.exports = class LongFirstSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    return [...sorted.filter((test) => !isUnit(test)), ...sorted.filter(isUnit)];
  }
};
