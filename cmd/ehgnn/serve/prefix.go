package serve

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// A server may be behind a proxy that has it at a prefix of paths. Links of the page are relative, so
// they need none. The prefix is taken off the paths of requests, where the proxy leaves it there,
// and the description of the API says it.

// forwardedPrefix is the header by which a proxy that takes the prefix off tells it.
const forwardedPrefix = "X-Forwarded-Prefix"

// prefixes are paths that may be a prefix: /ehgnn, /tools/ehgnn. Two slashes at the beginning would name
// another host.
var prefixes = regexp.MustCompile(`^(/[\w.~-]+)+$`)

// BasePath checks a prefix and returns it without a slash at its end; "" for none.
func BasePath(path string) (string, bool) {
	path = strings.TrimSuffix(path, "/")
	return path, path == "" || prefixes.MatchString(path) && !strings.Contains(path, "/.")
}

// unprefixed is a request without the prefix that its path has.
func unprefixed(r *http.Request, base string) *http.Request {
	path, ok := strings.CutPrefix(r.URL.Path, base)
	if base == "" || !ok || path != "" && path[0] != '/' {
		return r
	}
	path = cmp.Or(path, "/")
	out := new(http.Request)
	*out = *r
	out.URL = new(url.URL)
	*out.URL = *r.URL
	out.URL.Path, out.URL.RawPath = path, strings.TrimPrefix(r.URL.RawPath, base)
	return out
}

// prefixOf is the prefix that callers see.
func prefixOf(r *http.Request, base string) string {
	if base != "" {
		return base
	}
	if prefix, ok := BasePath(r.Header.Get(forwardedPrefix)); ok {
		return prefix
	}
	return ""
}
