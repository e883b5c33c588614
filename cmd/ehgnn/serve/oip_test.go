package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A batch of tensors gets the bits of the library.
func TestInfer(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	body := `{"id":"7","inputs":[{"name":"num_nodes","shape":[2],"datatype":"INT64","data":[1,3]},{"name":"num_edges","shape":[2],"datatype":"INT64","data":[0,3]},
		{"name":"edge_index","shape":[2,3],"datatype":"INT64","data":[[1,2,3],[2,3,1]]},
		{"name":"x","shape":[4,1],"datatype":"FP32","data":[5,5,6,5]},{"name":"e","shape":[3,1],"datatype":"FP32","data":[[1],[2],[1]]}]}`
	var out struct {
		ModelName    string `json:"model_name"`
		ModelVersion string `json:"model_version"`
		ID           string
		Outputs      []struct {
			Name, Datatype string
			Shape          []int
			Data           []float32
		}
	}
	r := ask(t, s, asked{path: "/v2/models/rings/infer", body: body})
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || out.ID != "7" || out.ModelVersion != runs[0].now.Load().digest || len(out.Outputs) != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	p := want(t, runs[0])
	if o := out.Outputs[0]; o.Name != "probabilities" || fmt.Sprint(o.Shape) != "[2 2]" || o.Data[2] != float32(p.Probabilities[0]) || o.Data[3] != float32(p.Probabilities[1]) {
		t.Errorf("%+v, want %v for the second graph", o, p.Probabilities)
	}
	for name, test := range map[string]struct{ old, new, pointer string }{
		"no tensor":      {`"num_edges"`, `"edges"`, "/inputs/1"},
		"another shape":  {`[2,3]`, `[2,4]`, "/inputs/2/data"},
		"wild node":      {`[2,3,1]`, `[2,4,1]`, "/edge_index/1/1"},
		"other's node":   {`[2,3,1]`, `[2,0,1]`, "/edge_index/1/1"},
		"half a node":    {`[2,3,1]`, `[2,1.5,1]`, "/edge_index/1/1"},
		"many nodes":     {`[1,3]`, `[1,1000000000]`, "/num_nodes/1"},
		"too many nodes": {`[1,3]`, `[1,4]`, "/x"},
		"few edges":      {`[0,3]`, `[0,2]`, "/num_edges"},
		"wrong label":    {`[5,5,6,5]`, `[5,5,9,5]`, "/1/node/label/1"},
		"NaN":            {`[5,5,6,5]`, `[5,5,NaN,5]`, "/1/node/label/1"},
		"Infinity":       {`[5,5,6,5]`, `[5,5,Infinity,5]`, "/inputs/3/data/2"},
	} {
		r := ask(t, s, asked{path: "/v2/models/rings/infer", body: strings.Replace(body, test.old, test.new, 1)})
		if p := problemOf(t, r); p.Status != 422 || p.Pointer != test.pointer {
			t.Errorf("%s: %+v, want pointer %s", name, p, test.pointer)
		}
	}
	for path, status := range map[string]int{"/v2": 200, "/v2/health/live": 200, "/v2/health/ready": 200, "/v2/models/rings": 200, "/v2/models/rings/ready": 200, "/v2/models/none/ready": 404, "/v2/models/rings/infer": 405} {
		if r := ask(t, s, asked{method: http.MethodGet, path: path}); r.status != status || !json.Valid([]byte(r.body)) {
			t.Errorf("%s: %+v, want status %d", path, r, status)
		}
	}
}
