// A loading hook of Node's modules (https://nodejs.org/api/module.html#loadurl-context-nextload). Without a source, Node hands a CommonJS
// module to `require`.
exports.load = (url, context, next) =>
  /^file:(?!.*\/node_modules\/).*\.tsx?$/.test(url)
    ? { format: 'commonjs', source: null, shortCircuit: true }
    : next(url, context);
