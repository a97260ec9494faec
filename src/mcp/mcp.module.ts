import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller';
import { McpService } from './mcp.service';

/** The Model Context Protocol, by which AI agents use the service. */
@Module({ controllers: [McpController], providers: [McpService] })
export class McpModule {}
