module github.com/ehgnn/ehgnn/webtest

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/ehgnn/ehgnn v0.0.0-00010101000000-000000000000
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/ehgnn/ehgnn => ../
