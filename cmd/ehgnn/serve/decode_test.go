package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/session"
)

// graphs returns a body with a graph.
func graphs(g string) string { return `{"graphs":[` + g + `]}` }

// An error in a body is reported with its place, and finding it is cheap.
func TestProblems(t *testing.T) {
	s := started(t, loadRuns(t, ordinary, ringsDir(t)), nil)
	change := func(old, new string) string { return graphs(strings.Replace(triangle, old, new, 1)) }
	named := func(by string) string {
		return strings.Replace(linked, `"graph":{"id":"a"}`, `"graph":{"`+by+`":"g0"}`, 1)
	}
	numbered := `{"directed":false,"nodes":[{"id":0,"label":5},{"id":1,"label":6}],"edges":[{"source":0,"target":1,"label":2}]}`
	for name, test := range map[string]struct {
		body    string
		status  int
		pointer string
		want    string
	}{
		"no JSON":              {"hello", 400, "", "'h'"},
		"nothing":              {"", 400, "", "the end of the text"},
		"more text":            {graphs(triangle) + "x", 400, "", "the end of the text"},
		"a list":               {`[1]`, 422, "", "found a list, expected an object {\"graphs\":[...]}"},
		"no graphs":            {`{}`, 422, "", "graphs"},
		"another member":       {`{"graph":[]}`, 422, "/graph", "graphs"},
		"graphs twice":         {`{"graphs":[],"graphs":[]}`, 422, "/graphs", "once"},
		"a graph that is none": {graphs("7"), 422, "/graphs/0", "found 7, expected an object"},
		"unknown member":       {change(`"id"`, `"name"`), 422, "/graphs/0", `"name"`},
		"member twice":         {change(`"id":"a"`, `"num_nodes":3`), 422, "/graphs/0/num_nodes", "once"},
		"id of no kind":        {change(`"a"`, `[1]`), 422, "/graphs/0/id", "a string or a number"},
		"no num_nodes":         {change(`"num_nodes":3,`, ``), 422, "/graphs/0", "num_nodes"},
		"no edges":             {change(`"edges":[[0,1],[1,2],[2,0]],`, ``), 422, "/graphs/0", `"edges"`},
		"many nodes":           {change(`"num_nodes":3`, `"num_nodes":1000000000`), 422, "/graphs/0/num_nodes", "at most 100000"},
		"very many nodes":      {change(`"num_nodes":3`, `"num_nodes":1e99`), 422, "/graphs/0/num_nodes", "1e99"},
		"no nodes":             {change(`"num_nodes":3`, `"num_nodes":-1`), 422, "/graphs/0/num_nodes", "whole number"},
		"wild node":            {change(`[1,2]`, `[1,99999999999999999999]`), 422, "/graphs/0/edges/1", "from 0 to 2"},
		"negative node":        {change(`[1,2]`, `[1,-1]`), 422, "/graphs/0/edges/1", "from 0 to 2"},
		"half a node":          {change(`[1,2]`, `[1,0.5]`), 422, "/graphs/0/edges/1", "0.5"},
		"three ends":           {change(`[1,2]`, `[1,2,0]`), 422, "/graphs/0/edges/1", "two nodes"},
		"no ends":              {change(`[1,2]`, `[]`), 422, "/graphs/0/edges/1", "two nodes"},
		"one end":              {change(`[1,2]`, `[1]`), 422, "/graphs/0/edges/1", "two nodes"},
		"an edge that is none": {change(`[1,2]`, `null`), 422, "/graphs/0/edges/1", "found null"},
		"NaN":                  {change(`[5,6,5]`, `[5,NaN,5]`), 422, "/graphs/0/node/label/1", "missing"},
		"Infinity":             {change(`[5,6,5]`, `[5,Infinity,5]`), 422, "/graphs/0/node/label/1", "found Infinity, expected a finite number"},
		"-Infinity":            {change(`[5,6,5]`, `[5,-Infinity,5]`), 422, "/graphs/0/node/label/1", "found -Infinity, expected a finite number"},
		"nearly NaN":           {change(`[5,6,5]`, `[5,Nan,5]`), 400, "", "found 'N'"},
		"NaN as an id":         {graphs(strings.Replace(linked, `"id":1,`, `"id":NaN,`, 1)), 422, "/graphs/0/nodes/1/id", "found NaN"},
		"an id of a document":  {graphs(named("id") + "," + named("id")), 422, "/graphs/1/graph/id", "graph 0"},
		"a name of a document": {graphs(named("name") + "," + named("id")), 422, "/graphs/1/graph/id", "graph 0"},
		"an id beside a graph": {graphs(named("id") + "," + strings.Replace(linked, "{", `{"id":"g0",`, 1)), 422, "/graphs/1/id", "graph 0"},
		"a string for a number": {graphs(strings.Replace(numbered, `"source":0`, `"source":"0"`, 1)), 422, "/graphs/0/edges/0/source",
			`found "0", expected the id of a node; "0" is a string, and the ids of nodes are numbers, as 0`},
		"a number for a string": {graphs(strings.Replace(strings.Replace(numbered, `"id":0`, `"id":"0"`, 1), `"target":1`, `"target":0.0`, 1)), 422, "/graphs/0/edges/0/source",
			`found 0, expected the id of a node; 0 is no string, and the ids of nodes are strings, as "0"`},
		"a string of no node": {graphs(strings.Replace(numbered, `"source":0`, `"source":"x"`, 1)), 422, "/graphs/0/edges/0/source", `found "x", expected the id of a node`},
		"infinite":            {change(`[5,6,5]`, `[5,1e400,5]`), 422, "/graphs/0/node/label/1", "1e400"},
		"null":                {change(`[5,6,5]`, `[5,null,5]`), 422, "/graphs/0/node/label/1", "from 5 to 6"},
		"no label of these":   {change(`[5,6,5]`, `[5,7,5]`), 422, "/graphs/0/node/label/1", "from 5 to 6"},
		"a text":              {change(`[5,6,5]`, `[5,"6",5]`), 422, "/graphs/0/node/label/1", "a number"},
		"too few":             {change(`[5,6,5]`, `[5,6]`), 422, "/graphs/0/node/label", "found 2 values, expected 3"},
		"too many":            {change(`[5,6,5]`, `[5,6,5,5]`), 422, "/graphs/0/node/label", "found 4 values, expected 3"},
		"no attribute":        {change(`"node":{"label":[5,6,5]}`, `"node":{}`), 422, "/graphs/0/node", "label"},
		"another attribute":   {change(`{"label":[5,6,5]}`, `{"label":[5,6,5],"a/b":[1,1,1]}`), 422, "/graphs/0/node/a~1b", "a/b"},
		"attribute twice":     {change(`{"label":[5,6,5]}`, `{"label":[5,6,5],"label":[5,6,5]}`), 422, "/graphs/0/node/label", "once"},
		"directed":            {change(`"id":"a"`, `"directed":true`), 422, "/graphs/0/directed", "false"},
		"deep":                {graphs(strings.Repeat("[", 100000)), 422, "/graphs/0" + strings.Repeat("/0", 30), "32 levels"},
		"deep attribute":      {change(`"a"`, strings.Repeat(`[`, 40)+strings.Repeat(`]`, 40)), 422, "/graphs/0/id" + strings.Repeat("/0", 29), "32 levels"},
		"equal ids":           {graphs(triangle + "," + triangle), 422, "/graphs/1/id", "graph 0"},
		"labels":              {change(`"id":"a"`, `"labels":["1","","1"]`), 422, "/graphs/0/labels/0", "label context"},
		"smiles":              {graphs(`{"smiles":"CCO"}`), 422, "/graphs/0/smiles", "not trained on SMILES"},
		"not UTF-8":           {change(`"a"`, "\"\xff\""), 400, "", "UTF-8"},
		"node without id":     {graphs(strings.Replace(linked, `"id":1,`, ``, 1)), 422, "/graphs/0/nodes/1", "id"},
		"node twice":          {graphs(strings.Replace(linked, `"id":1,`, `"id":"x",`, 1)), 422, "/graphs/0/nodes/1/id", "node 0"},
		"edge to nowhere":     {graphs(strings.Replace(linked, `"target":"1"`, `"target":"2"`, 1)), 422, "/graphs/0/edges/1/target", "the id of a node"},
		"half an edge":        {graphs(strings.Replace(linked, `"target":"1",`, ``, 1)), 422, "/graphs/0/edges/1", "source"},
		"node's label twice":  {graphs(strings.Replace(linked, `"label":6`, `"label":6,"label":6`, 1)), 422, "/graphs/0/nodes/1/label", "once"},
		"node's label":        {graphs(strings.Replace(linked, `"label":6`, `"label":9`, 1)), 422, "/graphs/0/nodes/1/label", "from 5 to 6"},
		"edge's label":        {graphs(strings.Replace(linked, `"label":2`, `"label":[2]`, 1)), 422, "/graphs/0/edges/1/label", "a number"},
		"edges and links":     {graphs(strings.Replace(linked, `"edges"`, `"links":[],"edges"`, 1)), 422, "/graphs/0", "one list"},
	} {
		start := time.Now()
		reply := ask(t, s, asked{path: "/v1/models/rings/predict", body: test.body})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if reply.status != test.status {
			t.Errorf("%s: %+v, want status %d", name, reply, test.status)
			continue
		}
		p := problemOf(t, reply)
		if test.status == 422 && p.Pointer != test.pointer || !strings.Contains(p.Detail+p.Expected+p.Found, test.want) {
			t.Errorf("%s: %+v, want pointer %q and %q", name, p, test.pointer, test.want)
		}
	}
	for name, test := range map[string]struct {
		q      asked
		status int
	}{
		"no model":          {asked{path: "/v1/models/other/predict", body: graphs(triangle)}, 404},
		"a form":            {asked{path: "/v1/models/rings/predict", header: map[string]string{"Content-Type": "text/plain"}, body: graphs(triangle)}, 415},
		"packed by nobody":  {asked{path: "/v1/models/rings/predict", header: map[string]string{"Content-Encoding": "br"}, body: graphs(triangle)}, 415},
		"GET of a POST":     {asked{method: http.MethodGet, path: "/v1/models/rings/predict"}, 405},
		"no such route":     {asked{method: http.MethodGet, path: "/v1/other"}, 404},
		"nor outside of it": {asked{method: http.MethodGet, path: "/other"}, 404},
	} {
		if reply := ask(t, s, test.q); reply.status != test.status {
			t.Errorf("%s: %+v, want status %d", name, reply, test.status)
		} else {
			problemOf(t, reply)
		}
	}
}

// Decoding needs at most four times the size of the body and a mebibyte, for any body.
func TestDecodeMemory(t *testing.T) {
	run := loadRuns(t, ordinary, ringsDir(t))[0].now.Load()
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	objects := func(n int, of func(i int) string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(of(i))
		}
		return "[" + b.String() + "]"
	}
	n := 90000
	if testing.Short() {
		n = 30000
	}
	for name, body := range map[string]string{
		"large":        graphs(fmt.Sprintf(`{"num_nodes":%d,"edges":%s,"node":{"label":%s},"edge":{"label":%s}}`, n, list(4*n, "[0,1]"), list(n, "5"), list(4*n, "1"))),
		"promises":     graphs(fmt.Sprintf(`{"num_nodes":%d,"edges":[],"node":{"label":[]}}`, n)),
		"many promise": `{"graphs":` + list(n, `{"num_nodes":100000,"edges":[]}`) + `}`,
		"small":        `{"graphs":` + list(n, `{"num_nodes":1,"edges":[],"node":{"label":[5]},"edge":{"label":[]}}`) + `}`,
		"nothing":      `{"graphs":` + list(1000000, `{}`) + `}`,
		"linked": graphs(fmt.Sprintf(`{"nodes":%s,"edges":%s}`, objects(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"label":5}`, i) }),
			objects(4*n, func(i int) string { return fmt.Sprintf(`{"source":%d,"target":0,"label":1}`, i%n) }))),
		"odd ids": graphs(fmt.Sprintf(`{"nodes":%s,"edges":[]}`, objects(n, func(i int) string { return fmt.Sprintf(`{"id":"\u00e4%d"}`, i) }))),
		"tuples":  graphs(fmt.Sprintf(`{"nodes":%s,"edges":[]}`, objects(n, func(i int) string { return fmt.Sprintf(`{"id":[%d,["a",1.0]]}`, i) }))),
		"escapes": graphs(fmt.Sprintf(`{"num_nodes":1,"edges":[],"x":%s}`, list(n, `"\u0000\n"`))),
		"names":   graphs(fmt.Sprintf(`{"num_nodes":%d,"edges":[],"node":{"label":%s},"node_names":%s}`, n, list(n, "5"), list(n, `""`))),
		"blanks":  strings.Repeat(" ", 1<<20),
	} {
		text := []byte(body)
		d := newDecoder(run, ordinary)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d.reset(text)
		d.body(func(i int, g decoded, p *Problem) *Problem { return p })
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(4*len(text)+1<<20); took > most {
			t.Errorf("%s: takes %d bytes for %d of the body, want at most %d", name, took, len(text), most)
		} else {
			t.Logf("%s: %d bytes of memory for %d of the body", name, took, len(text))
		}
	}
}

// ofEdges is the set payments without its nodes.
func ofEdges(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sets, "payments", "edges.csv"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Any text is decoded as a graph or gives an error, in both forms, as a body and as a line.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{triangle, linked, `{"num_nodes":1e9,"edges":[[0,-1]]}`, `{"nodes":[{"id":[1,"a",[2]]}],"links":[]}`, `{"id":"\ud83d\ude00"}`, strings.Repeat("[", 99),
		`{"inputs":[{"name":"num_nodes","shape":[1],"data":[2]},{"name":"num_edges","shape":[1],"data":[1]},{"name":"edge_index","shape":[2,1],"data":[0,1]},{"name":"x","shape":[2,1],"data":[5,6]},{"name":"e","shape":[1,1],"data":[1]}]}`} {
		f.Add([]byte(text))
	}
	dir, err := rings()
	if err != nil {
		f.Fatal(err)
	}
	run := loadRuns(f, Limits{Body: 1 << 20, Nodes: 50, Edges: 100}, dir)[0].now.Load()
	f.Add([]byte(`{"num_nodes":2,"edges":[[0,1]],"node":{"label":[5,NaN]},"edge":{"label":[Infinity]}}`))
	f.Add([]byte("source,target,amount,channel,hour,score\n1,2,3.5,card,7,true\n2,1,,,,\n"))
	columns := loadRuns(f, Limits{Body: 1 << 20, Nodes: 50, Edges: 100}, trained(f, session.Request{Path: ofEdges(f)}))[0].now.Load()
	f.Fuzz(func(t *testing.T, text []byte) {
		d := newDecoder(run, run.limits)
		d.reset(text)
		if g, p := d.line(); p == nil {
			if _, p := run.check(g); p == nil && !json.Valid(bytes.ReplaceAll(text, []byte(nan), []byte("null"))) && !json.Valid(text) {
				t.Errorf("%q is no JSON and was taken", text)
			}
		} else if p.Status < 400 || p.Status > 422 || p.Detail == "" {
			t.Errorf("%+v", p)
		}
		d.reset(text)
		if tensors, p := d.readTensors(text[:len(text)/2]); p == nil {
			q := &request{run: run}
			q.graphs(d, tensors)
		}
		c := newDecoder(columns, columns.limits)
		c.reset(append(append([]byte("--x\r\nContent-Disposition: form-data; name=edges\r\n\r\n"), text...), "\r\n--x--\r\n"...))
		if g, p := c.tables("x"); p == nil {
			columns.check(g)
		}
		d.reset(append(append([]byte(`{"graphs":[`), text...), "]}"...))
		d.body(func(_ int, g decoded, p *Problem) *Problem {
			if p == nil {
				_, p = run.check(g)
			}
			return p
		})
	})
}
