// Package page is the local web page of ehgnn serve: what trained runs are worth and what they
// do, to look at. New makes an http.Handler of screens that only read:
//
//	/                          the runs
//	/compare?run=&run=         runs on the items that they share with the first
//	/docs                      the HTTP API, from its OpenAPI document
//	/runs/NAME                 the report of a run, as report.html has it
//	/runs/NAME/items           stored predictions: filter, sort, pages; items.csv
//	/runs/NAME/graph           a graph: what each layer kept, clusters, what a prediction hangs on
//	/runs/NAME/graph/FILE      the same as figure.svg, figure.png, record.json
//	/runs/NAME/map             vectors of edges in the plane
//	/runs/NAME/try             a graph to paste, for the API of package serve
//	/runs/NAME/explained       a POST: what the API explains, as a part of a page
//
// A screen is a form, which is a GET, and a report.Document below it, so tables and figures are
// those of reports. Everything is made on the server; app.js adds what needs a script: trying
// graphs, redrawing while a slider moves, lighting up edges from rows of a table. No screen has an
// inline script or style, nor anything from elsewhere, as the policy of content of package serve wants it.
//
// A run is opened when a screen first needs it (run.go): its predictions and settings from the
// run folder alone, its graphs from the data of the training. Where these cannot be opened,
// screens that need graphs say so and how to get them; all others work. What was opened is
// kept until the weights in the folder change.
package page
