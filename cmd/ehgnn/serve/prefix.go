package serve

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// A server may be behind a proxy at a path prefix. Links of the page are relative, so they do not
// need the prefix. It is removed from the paths of requests, if the proxy leaves it there, and is
// part of the API description.

// forwardedPrefix is the header in which a proxy names the prefix that it removes.
const forwardedPrefix = "X-Forwarded-Prefix"

// prefixes matches valid prefixes: /ehgnn, /tools/ehgnn. Two slashes at the start would mean another
// host.
var prefixes = regexp.MustCompile(`^(/[\w.~-]+)+$`)

// BasePath checks a prefix and returns it without a final slash; "" for none.
func BasePath(path string) (string, bool) {
	path = strings.TrimSuffix(path, "/")
	return path, path == "" || prefixes.MatchString(path) && !strings.Contains(path, "/.")
}

// unprefixed is a request with the prefix removed from its path.
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

// prefixOf is the prefix that clients see.
func prefixOf(r *http.Request, base string) string {
	if base != "" {
		return base
	}
	if prefix, ok := BasePath(r.Header.Get(forwardedPrefix)); ok {
		return prefix
	}
	return ""
}
