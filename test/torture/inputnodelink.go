//go:build linux

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// inputNodeLink reads damaged node-link JSON.
var inputNodeLink = scenario{
	name:  "input/node-link",
	about: "node-link JSON with odd values, deep nesting, huge numbers and wrong types, as file and from standard input",
	share: 1, quick: 12,
	trial: func(t *trial) {
		t.takes("documents")
		name := "data/documents/documents.json"
		text := t.read(name)
		switch t.IntN(6) {
		case 0:
			text = []byte(t.oddDocument())
		case 1:
			text = append(text[:bytes.IndexByte(text, '\n')+1], t.oddDocument()...)
		default:
			text = t.spoiled(text)
		}
		if t.IntN(4) == 0 {
			run := t.trained("node-link")
			p := t.run(call{args: []string{"predict", run.dir + "/run", "-"}, stdin: text, codes: []int{exitOK, exitFailed, exitUsage}, talks: true})
			narrow := bytes.ReplaceAll(text, []byte{0}, nil) // of UTF-16
			if lines := bytes.Count(p.out.text, []byte("\n")); p.code == exitOK && lines > bytes.Count(narrow, []byte("nodes")) {
				p.finding("%d predictions, more than there are documents", lines)
			}
			return
		}
		t.write(name, text)
		t.reads(name)
	},
}

// oddDocument is a document of the right form with something strange in it.
func (t *trial) oddDocument() string {
	value := func() string {
		return pick(t, `1`, `"a"`, `null`, `true`, `[1,2]`, `{"a":1}`, `1e400`, `-0`, `"\u0000"`, `"\ud800"`, `"\u001b[2J"`, `9223372036854775808`, `[[[]]]`, `NaN`, `[1,"a"]`, fmt.Sprintf("%q", t.odd()))
	}
	n := 1 << t.IntN(14)
	switch t.IntN(8) {
	case 0:
		return `{"nodes":[` + t.nested("[", "]", 16*n) + `],"edges":[]}`
	case 1:
		return `{"nodes":[{"id":1,"a":` + t.nested(`{"a":`, "}", 4*n) + `}],"edges":[]}`
	case 2:
		return `{"nodes":[` + strings.TrimSuffix(strings.Repeat(`{"id":1},`, n), ",") + `],"edges":[]}`
	case 3:
		return `{"nodes":[{"id":` + value() + `},{"id":` + value() + `}],"links":[{"source":` + value() + `,"target":` + value() + `,"label":` + value() + `}],"graph":` + value() + `}`
	case 4:
		return `{"nodes":[{"id":1}],"edges":[` + strings.TrimSuffix(strings.Repeat(`{"source":1,"target":1},`, n), ",") + `],"graph":{"label":"c0"}}`
	case 5: // every document has attributes of its own
		var b strings.Builder
		for i := range n / 16 {
			fmt.Fprintf(&b, `{"nodes":[{"id":1,"a%d":%s}],"edges":[],"graph":{"label":"c%d"}}`+"\n", i, value(), i%2)
		}
		return b.String()
	case 6:
		return `{"nodes":[{"id":1,"v":[` + strings.TrimSuffix(strings.Repeat("1,", 8*n), ",") + `]}],"edges":[],"graph":{"label":` + value() + `}}`
	}
	return `{"directed":` + value() + `,"multigraph":` + value() + `,"nodes":` + value() + `,"edges":` + value() + `}`
}
