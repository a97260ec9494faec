import { entities } from './src/app.entities';
import { readEnvironment } from './src/config/environment';
import { createDataSource } from './src/database/connections/data-source';

/** The data source for the TypeORM CLI. */
export default createDataSource(readEnvironment(), entities);
