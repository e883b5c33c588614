// Package page is the local web page of ehgnn serve, which shows the quality and the behaviour of trained
// runs. New returns an http.Handler of read-only screens:
//
//	/                          the runs
//	/compare?run=&run=         runs on the items that they share with the first
//	/docs                      the HTTP API, from its OpenAPI document
//	/runs/NAME                 the report of a run, report.html
//	/runs/NAME/items           stored predictions: filter, sort, pages; items.csv
//	/runs/NAME/graph           a graph: edges kept by each layer, clusters, explanations of predictions
//	/runs/NAME/graph/FILE      the same as figure.svg, figure.png, record.json
//	/runs/NAME/map             embeddings of edges in the plane
//	/runs/NAME/try             a graph to paste, for the API of package serve
//	/runs/NAME/explained       a POST: an explanation of the API, drawn as a part of a page
//
// A screen is a form (with method GET) and a report.Document below it, so tables and figures look like
// those of reports. Everything is rendered on the server; app.js adds what needs a script: trying graphs,
// redrawing while a slider moves, highlighting edges from rows of a table. No screen has inline scripts,
// inline styles or external content, as required by the content security policy of package serve.
//
// A run is opened when a screen first needs it (run.go). Its predictions and settings come from the run
// folder, its graphs from the training data. If these cannot be opened, screens that need graphs explain
// how to get them; all other screens work. Opened data are cached until the weights in the folder change.
package page
