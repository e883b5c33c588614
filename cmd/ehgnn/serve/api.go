package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/version"
)

// ModelInfo describes the input and output of a run.
type ModelInfo struct {
	Name    string          `json:"name" doc:"The name of the run in routes."`
	Task    string          `json:"task" example:"graph-classification"`
	Level   string          `json:"level" enum:"graph,node,edge" doc:"What predictions are of."`
	Digest  string          `json:"digest" doc:"Tells the weights apart: the first 8 bytes of the SHA-256 of model.safetensors."`
	Classes []string        `json:"classes,omitempty"`
	Targets []string        `json:"targets,omitempty" doc:"The names of labels or numbers that are predicted."`
	SMILES  bool            `json:"smiles" doc:"Graphs may be given as SMILES."`
	Limits  LimitsInfo      `json:"limits"`
	Schema  json.RawMessage `json:"schema" doc:"Which attributes nodes and edges must have, as schema.json of the run has it."`
	Example json.RawMessage `json:"example,omitempty" doc:"A graph of the training, as a request may have it, with its prediction."`
}

// LimitsInfo are the limits of a request.
type LimitsInfo struct {
	Body        int64 `json:"body" doc:"Bytes of a body, or of a line of NDJSON, once it is unpacked."`
	Nodes       int   `json:"nodes" doc:"Nodes of all graphs of a body, or of the graph of a line."`
	Edges       int   `json:"edges"`
	GraphMemory int64 `json:"graph_memory" doc:"Bytes that the model may take for a graph; 0 for no bound."`
}

// Status is the state of the server.
type Status struct {
	Status string `json:"status" example:"ok"`
}

// reply is a reply with a body.
type reply[T any] struct{ Body T }

// ModelName is the name of a run in a route.
type ModelName struct {
	Model string `path:"m" doc:"The name of the run."`
}

// routes are all handlers.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.mux = mux
	config := huma.DefaultConfig("ehgnn", version.String())
	config.Info.Description = "Predictions of trained runs for graphs."
	config.OpenAPIPath, config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", "", nil
	s.api = humago.New(mux, config)
	if s.token != nil {
		s.api.OpenAPI().Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
		s.api.OpenAPI().Security = []map[string][]string{{"token": {}}}
	}
	huma.Register(s.api, huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/healthz", Summary: "Whether the program runs", Security: []map[string][]string{}},
		func(context.Context, *struct{}) (*reply[Status], error) { return &reply[Status]{Status{"ok"}}, nil })
	huma.Register(s.api, huma.Operation{OperationID: "ready", Method: http.MethodGet, Path: "/readyz", Summary: "Whether it wants requests", Security: []map[string][]string{}, Errors: []int{503}},
		func(context.Context, *struct{}) (*reply[Status], error) {
			if s.leaving.Load() {
				return nil, problemf(http.StatusServiceUnavailable, "the server is ending")
			}
			return &reply[Status]{Status{"ok"}}, nil
		})
	huma.Register(s.api, huma.Operation{OperationID: "models", Method: http.MethodGet, Path: "/v1/models", Summary: "The runs that are served", Errors: []int{401}},
		func(context.Context, *struct{}) (*reply[Models], error) {
			out := Models{Models: make([]ModelInfo, len(s.list))}
			for i, r := range s.list {
				out.Models[i] = info(r.now.Load())
			}
			return &reply[Models]{out}, nil
		})
	huma.Register(s.api, huma.Operation{OperationID: "model", Method: http.MethodGet, Path: "/v1/models/{m}", Summary: "What a run takes and gives", Errors: []int{401, 404}},
		func(_ context.Context, in *ModelName) (*reply[ModelInfo], error) {
			r, p := s.named(in.Model)
			if p != nil {
				return nil, p
			}
			return &reply[ModelInfo]{info(r.now.Load())}, nil
		})
	huma.Register(s.api, huma.Operation{OperationID: "items", Method: http.MethodGet, Path: "/v1/models/{m}/items", Summary: "Stored predictions of a run, 100 a page", Errors: []int{401, 404, 422}}, s.stored)
	s.streamed(mux, "predict", "Predict for graphs", reflect.TypeFor[Predictions](), s.predict,
		query("sort", "Of answers as a table: put the rows first that are most probably of the class of interest, or have the largest number; a name names the class, label or number, empty stands for the usual one."),
		query("top", "For answers as a table: only so many first rows, in the order of sort."),
		query("why", "Of answers as a table, for edges and runs of the model auto: say in a column why which three columns contribute most to each prediction (default: false).", "true", "false"))
	s.streamed(mux, "embed", "The learned vectors of graphs, nodes or edges", reflect.TypeFor[Embeddings](), s.embed,
		query("level", "What vectors are of (default: graph).", string(ehgnn.Graphs), string(ehgnn.Nodes), string(ehgnn.Edges)))
	s.streamed(mux, "explain", "Scores of edges that explain the prediction for one graph, or for a node or edge of it, or a record of the edges that the model kept", reflect.TypeFor[Explained](), s.explain,
		query("method", "Method (default: occlusion, or record if the model reconstructs its data).", methods...),
		query("target", "The class, label or number that is explained (default: the predicted class, or the first label or number)."),
		query("node", "The node whose prediction is explained, if the run predicts for nodes: its name in node_names, its id in node-link documents and tables, else its number from 0 (default: the first)."),
		query("edge", "The edge whose prediction is explained, if the run predicts for edges: its number from 0, or SOURCE:TARGET by the names of its nodes (default: the first that score marks)."))
	if s.options.Links != nil {
		s.recommend()
	}

	for _, path := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post} {
			if op != nil && len(op.Parameters) > 0 && op.Parameters[0].Name == "m" {
				op.Parameters[0].Schema = s.modelNames()
			}
		}
	}
	mux.HandleFunc("GET /openapi.json", s.describe)
	mux.Handle("GET /metrics", s.metrics.handler())
	s.oip(mux)
	unknown := s.unknown(mux)
	for _, root := range apiRoots {
		mux.Handle(root, unknown)
	}
	page := s.options.Page
	if page == nil {
		page = unknown
	}
	mux.Handle("/", page)
	if s.token != nil {
		mux.HandleFunc("POST /token", s.trade)
	}
	return mux
}

// Describe returns the OpenAPI document as JSON.
func (s *Server) Describe() ([]byte, error) { return json.Marshal(s.api.OpenAPI()) }

// describe answers GET /openapi.json.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	document := *s.api.OpenAPI()
	if prefix := prefixOf(r, s.base); prefix != "" {
		document.Servers = []*huma.Server{{URL: prefix}}
	}
	text, err := json.Marshal(&document)
	if err != nil {
		panic(err) // the document is made from the types above
	}
	w.Header().Set("Content-Type", "application/openapi+json")
	w.Write(text) // the client may have gone
}

// apiRoots are the paths of the API; all others belong to the page.
var apiRoots = []string{"/v1/", "/v2/", "/v2", "/metrics", "/openapi.json", "/healthz", "/readyz"}

// unknown answers requests for unknown paths.
func (s *Server) unknown(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
			if _, pattern := mux.Handler(other); strings.HasPrefix(pattern, method) {
				w.Header().Set("Allow", method)
				s.refuse(w, r, problemf(http.StatusMethodNotAllowed, "the method is %s, expected %s", r.Method, method))
				return
			}
		}
		s.refuse(w, r, problemf(http.StatusNotFound, "there is no %s; /openapi.json lists all routes", r.URL.Path))
	})
}

// Models lists runs.
type Models struct {
	Models []ModelInfo `json:"models"`
}

// info describes a run.
func info(l *loaded) ModelInfo {
	m := l.model
	return ModelInfo{Name: l.name, Task: m.Task(), Level: string(m.Level()), Digest: l.digest, Classes: m.Classes(), Targets: m.Targets(),
		SMILES: m.TakesSMILES() && l.toolkit != nil, Schema: l.text, Example: l.example,
		Limits: LimitsInfo{l.limits.Body, l.limits.Nodes, l.limits.Edges, int64(l.limits.Memory)}}
}
