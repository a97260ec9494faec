const supporting =
  'activities|attachments|audit-log|comments|custom-fields|git-repositories|icons|mail|notifications|project-settings|projects|search-index|shared-files|space|stars|teams|users|views';
const foundations =
  'access|background|config|database|deliveries|diagnostics|encryption|errors|event-loop|git|http|limits|openapi|logging|outgoing|pages|paging|redis';
const beside =
  'archives|backup|doctor|exports|first-start|imports|sources|health|mcp|metrics|project-export|cli|testing|tracing|account|view-pages';
/** Every other folder. */
const features = `(?!(?:${supporting}|${foundations}|${beside})/)[^/]+`;
const benchRooms = 'limit|edge|issues|lists|delivery|chaos|contention|git|imports|stalls';

/** The directions of `docs/architecture.md`. @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'features-are-apart',
      comment:
        'A feature module uses another only through its module file, its services and the shapes they answer with.',
      severity: 'error',
      from: { path: `^src/(${features})/` },
      to: {
        path: `^src/(${features})/`,
        pathNot: ['^src/$1/', '\\.entity\\.ts$', '\\.module\\.ts$', '\\.service\\.ts$', '\\.dto\\.ts$'],
      },
    },
    {
      name: 'supporting-knows-no-feature',
      severity: 'error',
      from: { path: `^src/(${supporting})/` },
      to: {
        path: `^src/(${features}|${beside})/`,
      },
    },
    {
      name: 'stars-and-notifications-know-no-comments',
      comment: 'Comments show them, and register with them; only an entity may refer to a comment.',
      severity: 'error',
      from: { path: '^src/(stars|notifications)/', pathNot: '\\.entity\\.ts$' },
      to: { path: '^src/comments/' },
    },
    {
      name: 'foundations-know-no-domain',
      severity: 'error',
      from: { path: `^src/(${foundations})/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: `^src/(${features}|${supporting}|${beside})/`,
      },
    },
    {
      name: 'foundations-have-an-order',
      comment: 'Requests and responses know nothing of the database, and the database nothing of HTTP.',
      severity: 'error',
      from: { path: '^src/(http|database)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/(http|database|access|limits|openapi)/', pathNot: '^src/$1/' },
    },
    {
      name: 'paging-knows-nothing',
      severity: 'error',
      from: { path: '^src/paging/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/paging/' },
    },
    {
      name: 'errors-know-nothing',
      severity: 'error',
      from: { path: '^src/errors/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/errors/' },
    },
    {
      name: 'entities-stay-inside',
      comment: 'Entities are read by their own module; another may point to one from its own entities.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '\\.(entity|spec)\\.ts$' },
      to: { path: '\\.entity\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'manifests-contain-no-code',
      comment: 'Every module may read all manifests, so they import only entities and constants.',
      severity: 'error',
      from: { path: ['^src/manifests?\\.ts$', '\\.manifest\\.ts$'] },
      to: { path: '\\.(controller|loader|module|repository|service)\\.ts$' },
    },
    {
      name: 'service-knows-no-test-server',
      comment: 'What a test server can do, such as failing on request, is not in the service.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'service-knows-no-tools',
      comment: 'The build of the service has neither the benchmarks nor the scripts nor the tests.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(bench|scripts|test)/' },
    },
    {
      name: 'bench-rooms-are-apart',
      comment: 'What two rooms of bench need belongs in bench/support.',
      severity: 'error',
      from: { path: `^bench/(${benchRooms})/` },
      to: { path: `^bench/(${benchRooms})/`, pathNot: '^bench/$1/' },
    },
    {
      name: 'bench-support-knows-no-room',
      severity: 'error',
      from: { path: '^bench/support/' },
      to: { path: '^bench/', pathNot: '^bench/support/' },
    },
    {
      name: 'bench-knows-no-tests',
      severity: 'error',
      from: { path: '^bench/' },
      to: { path: '^(scripts|test)/' },
    },
    {
      name: 'every-bench-folder-has-a-direction',
      comment: 'A new folder of bench goes into the list of its rooms.',
      severity: 'error',
      from: { path: '^bench/[^/]+/', pathNot: `^bench/(${benchRooms}|support)/` },
      to: {},
    },
    {
      name: 'monitoring-is-loaded-on-demand',
      comment:
        'Metrics and traces are loaded at run time when a setting asks for them; others may name their types.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(metrics|tracing)/', '\\.spec\\.ts$'] },
      to: {
        path: ['^src/(metrics|tracing)/', '^node_modules/(prom-client|@opentelemetry)/'],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'mcp-is-loaded-on-demand',
      comment:
        'The first request to the MCP server loads its library and tools; others may name their types.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/mcp/(libraries/|mcp-|tools/)', '^src/sources/', '\\.spec\\.ts$'],
      },
      to: {
        path: ['^src/mcp/(libraries/|mcp-|tools/)', '^node_modules/(zod|@modelcontextprotocol)/'],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: '\\.d\\.ts$' }, to: {} },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '\\.spec\\.ts$' },
  },
};
