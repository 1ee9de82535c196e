"""What names mean in Ruby's tests, from the root, on modules, and on receivers not known."""

from __future__ import annotations

from tests.graph.memory import edges, graph, uses

PARTY = """
    module Party
      def self.included(base)
        base.extend ClassMethods
      end
      class Failure < StandardError; end
      class Logger; end
      module ClassMethods
        def get(path)
          ::Kernel.raise ::Party::Failure.new(1)
          ::Logger.new
        end
      end
      def self.get(path)
      end
      class Request
        attr_accessor :options, :path
        def perform(&block)
          Response.new(self)
        end
        def run(config)
          @config = Config.new
          @config&.go
        end
      end
      class Response
        attr_reader :options, :verb
        def path
        end
        def run(other)
        end
      end
      class Config
        def go
        end
      end
      class Other
        def go
        end
      end
    end
    """


def test_variables_of_a_file_and_what_rspec_binds() -> None:
    made = graph(
        {
            "lib/party.rb": PARTY,
            "spec/request_spec.rb": """
                RSpec.describe Party::Request do
                  before { @request = Party::Request.new }
                  let(:response) { @request.perform }
                  let(:go) { double }
                  it "runs" do
                    @request.options = 1
                    @request.path
                    response.options
                    response.path
                    subject.run(1)
                    described_class.new.run(2)
                    unknown.verb
                    go
                  end
                end
                """,
            "spec/two_spec.rb": """
                describe "two" do
                  it("a") { @it = Party::Request.new }
                  it("b") { @it = Party::Response.new }
                  it("c") { @it.run }
                end
                """,
        }
    )
    found = {each for each in uses(made, "spec/request_spec.rb") if each[0] > 5}
    assert found == {
        (7, "Party.Request.options"),
        (8, "Party.Request.path"),
        (9, "Party.Response.options"),
        (10, "Party.Response.path"),
        (11, "Party.Request.run"),
        (12, "Party.Request.run"),
    }
    assert not {each for each in uses(made, "spec/two_spec.rb") if each[0] == 5}


def test_names_from_the_root_modules_and_safe_navigation() -> None:
    made = graph(
        {
            "lib/party.rb": PARTY,
            "lib/twitter.rb": """
                class Twitter
                  include Party
                  def go
                    self.class.get("x")
                  end
                end
                Twitter.get 1
                """,
            "lib/faraday.rb": """
                module Faraday
                  def self.new(url)
                    Connection.new(url)
                  end
                  def self.headers
                  end
                  class Connection
                    def headers
                    end
                  end
                end
                def ask
                  it = Faraday.new("x")
                  it.headers
                end
                """,
        }
    )
    found = edges(made)
    party = "lib/party.rb"
    assert (party, "Party.ClassMethods.get", f"{party}::Party.Failure") in found
    assert (party, "Party.ClassMethods.get", f"{party}::Party.Logger") not in found
    assert (party, "Party.Request.run", f"{party}::Party.Config.go") in found
    assert (party, "Party.Request.run", f"{party}::Party.Other.go") not in found
    inherited = f"{party}::Party.ClassMethods.get"
    assert ("lib/twitter.rb", "Twitter.go", inherited) in found
    assert ("lib/twitter.rb", "", inherited) in found
    assert ("lib/twitter.rb", "", f"{party}::Party.get") not in found
    assert (15, "Faraday.Connection.headers") in uses(made, "lib/faraday.rb")
    assert (15, "Faraday.headers") not in uses(made, "lib/faraday.rb")


def test_what_receivers_that_are_not_known_are_not() -> None:
    made = graph(
        {
            "lib/a.rb": """
                class Options
                  def delete(key)
                  end
                  def inspect
                  end
                end
                class Handler
                  def password
                  end
                end
                class Item
                  def delete(key)
                  end
                end
                """,
            "lib/b.rb": """
                def run(options, given, handler)
                  options.delete(:a)
                  given.inspect
                  given.password = 1
                end
                """,
        }
    )
    assert not uses(made, "lib/b.rb")


def test_a_constant_that_nobody_defines_is_no_receiver_of_the_projects_methods() -> None:
    made = graph(
        {
            "lib/router.rb": """
                module Hanami
                  class Router
                    def env_for(env) = env
                  end
                end
                """,
            "spec/support/rack.rb": "module Support\n  module Rack\n  end\nend\n",
            "spec/a_spec.rb": """
                RSpec.describe Hanami::Router do
                  it("asks") { Rack::MockRequest.env_for("/") }
                end
                """,
        }
    )
    assert not uses(made, "spec/a_spec.rb") & {(3, "Hanami.Router.env_for")}
