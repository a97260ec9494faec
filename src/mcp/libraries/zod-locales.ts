// Loads the form that other modules require, when the first request to the MCP server arrives (`mcp.service.ts`).
import 'zod/v4/locales';
