// Package webtest looks at what ehgnn shows in a browser: the page of ehgnn serve and the
// report of a run, in a headless Chromium. It is a module of its own, so that what it needs is
// no dependency of the program:
//
//	cd webtest && go test -count=1 ./...
//
// Without a browser its tests are skipped, with EHGNN_REQUIRE_BROWSER=1 they fail. make browser
// installs one. EHGNN_SCREENSHOTS=DIR keeps a picture of every screen, light and dark, narrow
// and wide; EHGNN_UPDATE=1 takes the pictures of docs/ anew, which are else compared.
//
// testdata/axe-core is axe-core 4.14.1 of Deque Systems (MPL 2.0), as npm has it.
package webtest
