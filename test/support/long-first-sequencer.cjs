const { join, sep } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const isUnit = ({ path, context }) => path.startsWith(join(context.config.rootDir, 'src') + sep);

/**
 * Until it has seen how long each suite takes, Jest begins with the largest files. Small suites that start processes would then come
 * last, and the other workers would have nothing left to do.
 */
module.exports = class LongFirstSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    return [...sorted.filter((test) => !isUnit(test)), ...sorted.filter(isUnit)];
  }
};
