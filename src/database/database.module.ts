import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource } from 'typeorm';
import { TransactionsService } from './transactions/transactions.service';

/** Provides transactions and the data source, which is connected and migrated before the application is built. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(dataSource: DataSource): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...dataSource.options, retryAttempts: 0 }),
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
      ],
      providers: [TransactionsService],
      exports: [TransactionsService],
    };
  }
}
