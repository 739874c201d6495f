/** Servers that read the web, or steer a browser. */
import {
  asksStrangers,
  definePack,
  each,
  type Labels,
  type Pack,
  readsHere,
  searches,
  steersBrowser,
} from "./pack.ts";

const SEARCHES = searches("public", "A search tells the search engine what is searched for.");
const OWN_NETWORK = "!isPublicUrl(args.url)";
const FETCHES = asksStrangers(
  "public",
  "An address can carry data out. It fetches from your own network too: so a person is asked unless it is https with a public name.",
  { approval: OWN_NETWORK },
);

const fetch = definePack(
  "fetch",
  "web",
  ["pypi:mcp-server-fetch", "program:mcp-server-fetch", "image:mcp/fetch"],
  each("fetch", FETCHES),
);

const fetchServer = definePack(
  "fetch-server",
  "web",
  ["npm:mcp-fetch-server", "program:mcp-fetch-server"],
  each("fetch_html fetch_markdown fetch_txt fetch_json fetch_readable fetch_youtube_transcript", {
    ...FETCHES,
    approval: `has(args.proxy) || ${OWN_NETWORK}`,
  }),
);

const braveSearch = definePack(
  "brave-search",
  "web",
  [
    "npm:@modelcontextprotocol/server-brave-search",
    "npm:@brave/brave-search-mcp-server",
    "program:mcp-server-brave-search",
    "image:mcp/brave-search",
  ],
  each(
    `brave_web_search brave_local_search brave_video_search brave_image_search brave_news_search brave_summarizer`,
    SEARCHES,
  ),
);

const context7 = definePack(
  "context7",
  "web",
  ["npm:@upstash/context7-mcp", "url:https://mcp.context7.com/mcp", "image:mcp/context7"],
  each("resolve-library-id get-library-docs query-docs", SEARCHES),
);

const googleMaps = definePack(
  "google-maps",
  "web",
  ["npm:@modelcontextprotocol/server-google-maps", "program:mcp-server-google-maps", "image:mcp/google-maps"],
  each(
    `maps_geocode maps_reverse_geocode maps_search_places maps_place_details maps_distance_matrix maps_elevation
     maps_directions`,
    searches("public", "It tells Google which places are asked about."),
  ),
);

const PAGE: Labels = {
  ...readsHere(
    "confidential",
    "A page may be one that the person is signed in to. With `filename` it writes a file, so a person is asked.",
    { approval: "has(args.filename)" },
  ),
  // What is open already is read; no argument of it goes to the page's server.
  expects: ["openWorldHint"],
};
const BROWSES: Labels = {
  ...steersBrowser(
    "confidential",
    "An address can carry data out, and the browser may be signed in.",
    OWN_NETWORK,
  ),
  // THREAT: its pages' own data may go to an address that the user gave, and to no other unasked.
  critical: ["url"],
  expects: ["destructiveHint"],
};
const ACTS = steersBrowser(
  "confidential",
  "On a page that is signed in to, a click acts in the person's name.",
  "always",
);

const puppeteer = definePack(
  "puppeteer",
  "browser",
  ["npm:@modelcontextprotocol/server-puppeteer", "program:mcp-server-puppeteer", "image:mcp/puppeteer"],
  // Each of its tools takes `launchOptions`, whether its schema says so or not, and these name a program to start.
  each(
    `puppeteer_navigate puppeteer_screenshot puppeteer_click puppeteer_fill puppeteer_select puppeteer_hover
     puppeteer_evaluate`,
    steersBrowser(
      "confidential",
      "Its browser acts in the person's name, and `launchOptions` starts any program in place of the browser.",
      "always",
    ),
  ),
);

const playwright = definePack(
  "playwright",
  "browser",
  ["npm:@playwright/mcp", "program:mcp-server-playwright", "image:mcr.microsoft.com/playwright/mcp"],
  each("browser_navigate", BROWSES),
  each(
    "browser_snapshot browser_take_screenshot browser_console_messages browser_network_requests browser_find",
    PAGE,
  ),
  each(
    `browser_click browser_type browser_fill_form browser_select_option browser_hover browser_drag browser_press_key
     browser_evaluate browser_run_code browser_file_upload browser_handle_dialog browser_navigate_back browser_tabs
     browser_close browser_resize browser_wait_for browser_install browser_drop browser_emulate_media
     browser_run_code_unsafe`,
    ACTS,
  ),
);

export const WEB_PACKS: readonly Pack[] = Object.freeze([
  fetch,
  fetchServer,
  braveSearch,
  context7,
  googleMaps,
  puppeteer,
  playwright,
]);
