// A loading hook of Node's modules (https://nodejs.org/api/module.html#loadurl-context-nextload). Without a source, `import` hands a CommonJS
// module to `require`, which needs no help, but calls the hooks of newer versions, too.
exports.load = (url, context, next) =>
  !context.conditions?.includes('require') && /^file:(?!.*\/node_modules\/).*\.tsx?$/.test(url)
    ? { format: 'commonjs', source: null, shortCircuit: true }
    : next(url, context);
