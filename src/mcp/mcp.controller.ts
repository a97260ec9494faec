import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { CountsAs } from '../limits/rate-class';
import { McpService } from './mcp.service';

/** Path of the endpoint, outside the base path of the API. */
export const MCP_PATH = 'mcp';

/**
 * The endpoint of the Model Context Protocol: not part of the API. Each message counts as a read, and each operation
 * that it calls in its own class; the operations check the scopes.
 */
@ApiExcludeController()
@Controller(MCP_PATH)
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Post()
  @CountsAs('read')
  @Access({ roles: EVERYONE, needsNoScope: true })
  serveMcp(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    return this.mcp.serve(request, response);
  }
}
